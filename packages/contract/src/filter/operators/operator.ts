import { FilterError } from '../error.ts'
import { type Field, type FieldType, type FilterSurface, fieldOf } from '../fields.ts'
import type { CallNode, Node } from '../syntax.ts'
import { shown } from '../tokens.ts'
import type { ComparisonOperator, Filter } from '../tree.ts'
import { readScalar } from '../values.ts'

/** One operator of the filter language; the reference page is written from these. */
export interface Operator {
  readonly name: string
  /** Its grammar. */
  readonly form: string
  /** What it finds, in a sentence or two. */
  readonly doc: string
  readonly examples: readonly string[]
  /** @throws FilterError */
  readonly read: (call: CallNode, context: ReadContext) => Filter
}

export interface ReadContext {
  readonly surface: FilterSurface
  /** Reads a call inside this one. */
  readonly read: (call: CallNode) => Filter
}

/** @throws FilterError unless the call has as many arguments as its form shows */
export function insistOnArguments(call: CallNode, least: number, most: number, form: string): void {
  if (call.args.length >= least && call.args.length <= most) return
  throw new FilterError(call.at, `${call.name} takes ${form}, found ${call.args.length} arguments`)
}

/** The field that a call compares, as its first argument. */
export function readField(call: CallNode, context: ReadContext, accepts: readonly FieldType[]): [string, Field] {
  const node = unquoted(call.args[0]!, context.surface)
  if (node.kind !== 'name') {
    const quoted = node.kind === 'value' && typeof node.value === 'string'
    throw new FilterError(node.at, `expected a field${quoted ? ', which stands without quotes' : ''}`)
  }
  const field = fieldOf(context.surface, node.name)
  if (field === undefined) {
    const names = [...Object.keys(context.surface.fields), ...context.surface.roots.map((root) => `${root}.…`)]
    throw new FilterError(node.at, `${JSON.stringify(shown(node.name))} is no field; fields are ${names.join(', ')}`)
  }
  if (!accepts.includes(field.type)) {
    throw new FilterError(call.at, `${call.name} does not compare ${shown(node.name)}`)
  }
  return [node.name, field]
}

function unquoted(node: Node, { quotedFields }: FilterSurface): Node {
  if (!quotedFields || node.kind !== 'value' || typeof node.value !== 'string') return node
  return { kind: 'name', name: node.value, at: node.at }
}

/** An operator on a field and one value. */
export function comparing(
  name: ComparisonOperator,
  accepts: readonly FieldType[],
  nullable: boolean,
): Operator['read'] {
  return (call, context) => {
    insistOnArguments(call, 2, 2, 'a field and a value')
    const [field, { type }] = readField(call, context, accepts)
    const node = call.args[1]!
    const value = readScalar(node, type)
    if (value === null && !nullable) throw new FilterError(node.at, `${name} does not compare with null`)
    return { op: name, field, value }
  }
}

/** An operator on a field and a list of values; a single value counts as a list of one. */
export function comparingList(name: 'in' | 'nin', accepts: readonly FieldType[]): Operator['read'] {
  return (call, context) => {
    insistOnArguments(call, 2, 2, 'a field and a list')
    const [field, { type }] = readField(call, context, accepts)
    const node = call.args[1]!
    const items: readonly Node[] = node.kind === 'list' ? node.items : [node]
    return { op: name, field, value: items.map((item) => readScalar(item, type)) }
  }
}

/** The arguments of a logical operator. */
export function readCalls(call: CallNode, context: ReadContext): Filter[] {
  return call.args.map((node) => {
    if (node.kind === 'call') return context.read(node)
    throw new FilterError(node.at, `${call.name} takes calls such as eq(name, "my_chain")`)
  })
}

/** Comparable with null alone; the rest of it is asked for by `has`, `exists` and paths. */
export const WITH_METADATA = ['metadata'] as const satisfies readonly FieldType[]

export const EQUATABLE = [
  'id',
  'text',
  'word',
  'boolean',
  'time',
  'duration',
  'number',
  'tags',
  'payload',
  'entry-key',
  'entry-value',
  'path',
] as const satisfies readonly FieldType[]

export const ORDERED = ['time', 'duration', 'number', 'entry-value', 'path'] as const satisfies readonly FieldType[]

export const TEXTUAL = [
  'text',
  'word',
  'tags',
  'payload',
  'entry-key',
  'entry-value',
  'path',
] as const satisfies readonly FieldType[]
