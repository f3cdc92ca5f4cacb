import { FilterError } from './error.ts'
import { type Field, type FieldType, type FilterSurface, fieldOf } from './fields.ts'
import type { CallNode, Node } from './syntax.ts'
import { shown } from './tokens.ts'
import type { Comparison, Filter } from './tree.ts'
import { readScalar } from './values.ts'

/** One operator of the filter language. The reference page is generated from these. */
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
  /** Reads a nested call. */
  readonly read: (call: CallNode) => Filter
}

const EQUATABLE = [
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

/** `metadata` as a whole is comparable with null only; `has`, `exists` and paths cover the rest. */
const EQUATABLE_OR_METADATA = [...EQUATABLE, 'metadata'] as const satisfies readonly FieldType[]

const ORDERED = ['time', 'duration', 'number', 'entry-value', 'path'] as const satisfies readonly FieldType[]

const TEXTUAL = [
  'text',
  'word',
  'tags',
  'payload',
  'entry-key',
  'entry-value',
  'path',
] as const satisfies readonly FieldType[]

/** Field types that `exists(field)` accepts. */
const OPTIONAL = [
  'id',
  'text',
  'time',
  'duration',
  'number',
  'tags',
  'metadata',
  'payload',
  'path',
] as const satisfies readonly FieldType[]

const searchInField = comparison('search', TEXTUAL)

/** All operators, in the order of the reference page. */
export const FILTER_OPERATORS: readonly Operator[] = [
  {
    name: 'and',
    form: 'and(filter, …)',
    doc: 'All of them hold. Clauses on metadata, inputs, outputs or feedback that stand side by side in one `and` speak of the same entry; nest one `and` per entry to speak of several.',
    examples: [
      'and(eq(run_type, "llm"), gt(latency, "5s"))',
      'and(eq(metadata_key, "environment"), eq(metadata_value, "production"))',
    ],
    read: logical('and'),
  },
  {
    name: 'or',
    form: 'or(filter, …)',
    doc: 'At least one of them holds.',
    examples: ['or(has(tags, "experimental"), has(tags, "beta"))'],
    read: logical('or'),
  },
  {
    name: 'not',
    form: 'not(filter)',
    doc: 'It does not hold.',
    examples: ['not(has(metadata, \'{"foo": "bar"}\'))'],
    read: logical('not'),
  },
  {
    name: 'eq',
    form: 'eq(field, value)',
    doc: 'The field has that value; `eq(field, null)`: it is absent. On tags: the run carries it. Text is compared exactly.',
    examples: ['eq(name, "my_chain")', 'eq(end_time, null)'],
    read: nullableComparison('eq', EQUATABLE_OR_METADATA),
  },
  {
    name: 'neq',
    form: 'neq(field, value)',
    doc: 'The opposite of `eq`; `neq(field, null)`: the field is present. `neq(metadata_key, "k")` finds runs without that key.',
    examples: ['neq(name, "monitor step")', 'neq(error, null)'],
    read: nullableComparison('neq', EQUATABLE_OR_METADATA),
  },
  {
    name: 'gt',
    form: 'gt(field, value)',
    doc: 'The field is greater. What is absent never is.',
    examples: ['gt(latency, "5s")', 'gt(start_time, "2024-01-01T00:00:00Z")'],
    read: comparison('gt', ORDERED),
  },
  {
    name: 'gte',
    form: 'gte(field, value)',
    doc: 'The field is greater or equal.',
    examples: ['gte(metadata.retries, 3)'],
    read: comparison('gte', ORDERED),
  },
  {
    name: 'lt',
    form: 'lt(field, value)',
    doc: 'The field is less.',
    examples: ['lt(total_cost, 0.01)'],
    read: comparison('lt', ORDERED),
  },
  {
    name: 'lte',
    form: 'lte(field, value)',
    doc: 'The field is less or equal.',
    examples: ['lte(total_tokens, 5000)'],
    read: comparison('lte', ORDERED),
  },
  {
    name: 'in',
    form: 'in(field, [value, …])',
    doc: 'The field has one of the values.',
    examples: ['in(name, ["a", "b"])'],
    read: listComparison('in', EQUATABLE),
  },
  {
    name: 'nin',
    form: 'nin(field, [value, …])',
    doc: 'The opposite of `in`.',
    examples: ['nin(status, ["pending", "error"])'],
    read: listComparison('nin', EQUATABLE),
  },
  {
    name: 'has',
    form: 'has(tags, "tag")  or  has(metadata, \'{"key": value, …}\')',
    doc: 'The run carries the tag; or the metadata, inputs or outputs contain all of these pairs, at any depth of them. A text that is no JSON object is a key that must be there.',
    examples: ['has(tags, "production")', 'has(metadata, \'{"user_id": "u1"}\')'],
    read: readHas,
  },
  {
    name: 'exists',
    form: 'exists(metadata, "key")  or  exists(field)',
    doc: 'The metadata, inputs or outputs have the key, or keys below it. With a field alone: the field is present.',
    examples: ['exists(metadata, "tenant_id")'],
    read: readExists,
  },
  {
    name: 'like',
    form: 'like(field, pattern)',
    doc: 'The text fits the pattern, in which `%` stands for any text; case does not matter. Without `%` the whole text must fit.',
    examples: ['like(name, "%agent%")', 'like(inputs, "%refund%")'],
    read: comparison('like', TEXTUAL),
  },
  {
    name: 'notlike',
    form: 'notlike(field, pattern)',
    doc: 'The opposite of `like`.',
    examples: ['notlike(name, "test-%")'],
    read: comparison('notlike', TEXTUAL),
  },
  {
    name: 'search',
    form: 'search("words")  or  search(field, "text")',
    doc: 'Every word occurs somewhere in the name, the values of inputs, outputs and metadata, the error or the tags, in any order; case does not matter. With a field: the field contains the text.',
    examples: ['search("image classification")', 'search(name, "ChatOpenAI")'],
    read: readSearch,
  },
]

function logical(op: 'and' | 'or' | 'not'): Operator['read'] {
  const [most, form] = op === 'not' ? [1, 'one filter'] : [Number.POSITIVE_INFINITY, 'one filter or more']
  return (call, context) => {
    assertArgumentCount(call, 1, most, form)
    const args = call.args.map((node) => {
      if (node.kind === 'call') return context.read(node)
      throw new FilterError(node.at, `${call.name} takes calls such as eq(name, "my_chain")`)
    })
    return { op, args }
  }
}

/** An operator on a field and one value other than null. */
function comparison(op: Comparison['op'], accepts: readonly FieldType[]): Operator['read'] {
  const read = nullableComparison(op, accepts)
  return (call, context) => {
    const filter = read(call, context)
    if (!('args' in filter) && filter.value === null) {
      throw new FilterError(call.args[1]?.at ?? call.at, `${op} does not compare with null`)
    }
    return filter
  }
}

/** An operator on a field and one value or null. */
function nullableComparison(op: Comparison['op'], accepts: readonly FieldType[]): Operator['read'] {
  return (call, context) => {
    const { field, type, node } = readFieldAndNode(call, context, accepts, 'a field and a value')
    return { op, field, value: readScalar(node, type) }
  }
}

/** An operator on a field and a list of values; a single value counts as a list of one. */
function listComparison(op: 'in' | 'nin', accepts: readonly FieldType[]): Operator['read'] {
  return (call, context) => {
    const { field, type, node } = readFieldAndNode(call, context, accepts, 'a field and a list')
    const items: readonly Node[] = node.kind === 'list' ? node.items : [node]
    return { op, field, value: items.map((item) => readScalar(item, type)) }
  }
}

function readHas(call: CallNode, context: ReadContext): Filter {
  const { field, node } = readFieldAndNode(call, context, ['tags', 'metadata', 'payload'], 'a field and text')
  const value = readScalar(node, 'text')
  if (typeof value !== 'string') throw new FilterError(node.at, 'expected text')
  return { op: 'has', field, value }
}

function readExists(call: CallNode, context: ReadContext): Filter {
  assertArgumentCount(call, 1, 2, 'a field, and the key of a payload')
  const [first, keyNode] = call.args
  if (keyNode === undefined) {
    return { op: 'neq', field: readField(call, first, context, OPTIONAL).name, value: null }
  }
  const { name } = readField(call, first, context, ['metadata', 'payload'])
  const key = readScalar(keyNode, 'text')
  if (typeof key !== 'string' || key === '') throw new FilterError(keyNode.at, 'expected a key')
  return { op: 'exists', field: name, value: key }
}

function readSearch(call: CallNode, context: ReadContext): Filter {
  assertArgumentCount(call, 1, 2, 'text, or a field and text')
  const [node, ...others] = call.args
  if (node === undefined || others.length > 0) return searchInField(call, context)
  if (!context.surface.fullText) {
    throw new FilterError(call.at, 'there is no full text to search here; name a field')
  }
  const value = readScalar(node, 'text')
  if (value === null) throw new FilterError(node.at, 'search does not look for null')
  return { op: 'search', value: String(value) }
}

/** @throws FilterError unless the call has as many arguments as its form shows */
function assertArgumentCount(call: CallNode, least: number, most: number, form: string): void {
  if (call.args.length < least || call.args.length > most) throw wrongArguments(call, form)
}

function wrongArguments(call: CallNode, form: string): FilterError {
  return new FilterError(call.at, `${call.name} takes ${form}, found ${call.args.length} arguments`)
}

/** The arguments of a call on a field and something else. */
function readFieldAndNode(call: CallNode, context: ReadContext, accepts: readonly FieldType[], form: string) {
  const [first, node, ...others] = call.args
  if (node === undefined || others.length > 0) throw wrongArguments(call, form)
  const { name, type } = readField(call, first, context, accepts)
  return { field: name, type, node }
}

/** The field that a call compares. */
function readField(
  call: CallNode,
  argument: Node | undefined,
  { surface }: ReadContext,
  accepts: readonly FieldType[],
): Pick<Field, 'type'> & { readonly name: string } {
  const node = argument && unquote(argument, surface)
  if (node?.kind !== 'name') {
    const quoted = node?.kind === 'value' && typeof node.value === 'string'
    throw new FilterError((node ?? call).at, `expected a field${quoted ? ', which stands without quotes' : ''}`)
  }
  const field = fieldOf(surface, node.name)
  if (field === undefined) {
    const names = [...Object.keys(surface.fields), ...surface.roots.map((root) => `${root}.…`)]
    throw new FilterError(node.at, `${JSON.stringify(shown(node.name))} is no field; fields are ${names.join(', ')}`)
  }
  if (!accepts.includes(field.type)) {
    throw new FilterError(call.at, `${call.name} does not compare ${shown(node.name)}`)
  }
  return { name: node.name, type: field.type }
}

function unquote(node: Node, { quotedFields }: FilterSurface): Node {
  if (!quotedFields || node.kind !== 'value' || typeof node.value !== 'string') return node
  return { kind: 'name', name: node.value, at: node.at }
}
