import { ApiError } from '@touchstone/contract'
import { isRecord } from '../../../../json/guards.ts'
import { parseKeepingDigits, printJson } from '../../../../json/keep-digits.ts'
import type { Payloads } from '../prepare-example.ts'
import { type Apply, applyAt, type SourceRun } from './apply.ts'
import { toOpenaiMessages } from './openai-messages.ts'
import { toOpenaiTools } from './openai-tools.ts'
import { removeExtraFields } from './remove-extra-fields.ts'
import { removeSystemMessages } from './remove-system-messages.ts'
import { toolsOfRun } from './tools-of-run.ts'

/** What can be done to an example, in the order in which it is done whatever the order of the list. */
const ORDER = [
  'convert_to_openai_message',
  'convert_to_openai_tool',
  'remove_system_messages',
  'remove_extra_fields',
  'extract_tools_from_run',
] as const
type Kind = (typeof ORDER)[number]

interface Transformation {
  readonly kind: Kind
  /** Keys from the example down: the first is `inputs` or `outputs`. */
  readonly path: readonly string[]
}

type Schemas = { readonly inputs_schema: string | null; readonly outputs_schema: string | null }

/** All transformations of a dataset as one function; without any, what comes is what goes. */
export function readTransformations(
  dataset: Schemas & { readonly transformations: string | null },
): (example: Payloads, run: SourceRun | undefined) => Payloads {
  const list = dataset.transformations === null ? [] : parseTransformations(dataset.transformations)
  return (example, run) => {
    let { inputs, outputs } = example
    for (const { kind, path } of list) {
      const [side, ...keys] = path
      const apply = EFFECTS[kind](dataset, path, run)
      if (apply === undefined) continue
      if (side === 'inputs') inputs = applyAt(inputs, keys, apply)
      else if (outputs !== null) outputs = applyAt(outputs, keys, apply)
    }
    return { inputs, outputs }
  }
}

/**
 * Reads a list of transformations from JSON text, in the order of their effect.
 *
 * @throws ApiError INVALID_REQUEST
 */
export function parseTransformations(text: string): Transformation[] {
  const list: unknown = JSON.parse(text)
  if (list === null) return []
  if (!Array.isArray(list)) throw new ApiError('INVALID_REQUEST', 'transformations: it must be a list')
  const read = list.map(readOne)
  return ORDER.flatMap((kind) => read.filter((one) => one.kind === kind))
}

function readOne(given: unknown, index: number): Transformation {
  const { transformation_type: kind, path } = isRecord(given) ? given : {}
  const at = `transformations.${index}`
  if (!ORDER.includes(kind as Kind)) {
    const says = `${at}.transformation_type: ${JSON.stringify(kind)} is not among ${ORDER.join(', ')}`
    throw new ApiError('INVALID_REQUEST', says)
  }
  const isPath = Array.isArray(path) && path.every((key) => typeof key === 'string') && SIDES.has(path[0] as string)
  if (!isPath)
    throw new ApiError('INVALID_REQUEST', `${at}.path: it must be a list of keys from "inputs" or "outputs" on`)
  return { kind: kind as Kind, path: path as string[] }
}

const SIDES = new Set(['inputs', 'outputs'])

/** What a transformation makes of the text at its path; undefined when it has nothing to do here. */
const EFFECTS: Record<Kind, (schemas: Schemas, path: readonly string[], run?: SourceRun) => Apply | undefined> = {
  convert_to_openai_message: () => (text) => text && converted(text, toOpenaiMessages),
  convert_to_openai_tool: () => (text) => text && converted(text, toOpenaiTools),
  remove_system_messages: () => (text) => text && removeSystemMessages(text),
  remove_extra_fields({ inputs_schema, outputs_schema }, [side, ...keys]) {
    const schema = side === 'inputs' ? inputs_schema : outputs_schema
    return schema === null ? undefined : (text) => text && removeExtraFields(text, schema, keys)
  },
  extract_tools_from_run(_schemas, _path, run) {
    const tools = run && toolsOfRun(run)
    return tools && (() => printJson(tools))
  },
}

/** A list stays a list; one that was converted to several, such as results of tools, becomes a list. */
function converted(text: string, convert: (value: unknown) => unknown[]): string {
  const value = parseKeepingDigits(text)
  if (typeof value !== 'object' || value === null) return text
  if (!Array.isArray(value)) {
    const made = convert(value)
    return printJson(made.length === 1 ? made[0] : made)
  }
  const isBatch = value.length > 0 && value.every(Array.isArray)
  return printJson(isBatch ? value.map((inner) => inner.flatMap(convert)) : value.flatMap(convert))
}
