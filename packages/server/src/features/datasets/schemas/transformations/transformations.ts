import { ApiError } from '@touchstone/contract'
import { isArrayText, isObjectText, splitElements, splitMembers } from '@touchstone/formats/cut-json'
import { parseKeepingDigits, printJson } from '@touchstone/formats/exact-json'
import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { printObject } from '@touchstone/formats/write-object'
import type { Payloads } from '../prepare-example.ts'
import { toOpenaiMessages } from './openai-messages.ts'
import { removeExtraFields } from './remove-extra-fields.ts'

/** Transformations in the order of their application, which is independent of the order of the list. */
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

/** All transformations of a dataset as one function, which returns the example unchanged when there are none. */
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
 * Reads a list of transformations from JSON text, in the order of application.
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
    const message = `${at}.transformation_type: ${JSON.stringify(kind)} is not among ${ORDER.join(', ')}`
    throw new ApiError('INVALID_REQUEST', message)
  }
  const isPath = Array.isArray(path) && path.every((key) => typeof key === 'string') && SIDES.has(path[0] as string)
  if (!isPath)
    throw new ApiError('INVALID_REQUEST', `${at}.path: it must be a list of keys from "inputs" or "outputs" on`)
  return { kind: kind as Kind, path: path as string[] }
}

const SIDES = new Set(['inputs', 'outputs'])

/** The function of a transformation for the text at its path; undefined when it does not apply. */
const EFFECTS: Record<Kind, (schemas: Schemas, path: readonly string[], run?: SourceRun) => Apply | undefined> = {
  convert_to_openai_message: () => (text) => text && convertElements(text, (value) => toOpenaiMessages(value)),
  convert_to_openai_tool: () => (text) => text && convertElements(text, toOpenaiTools),
  remove_system_messages: () => (text) => text && removeSystemMessages(text),
  remove_extra_fields({ inputs_schema, outputs_schema }, [side, ...keys]) {
    const schema = side === 'inputs' ? inputs_schema : outputs_schema
    return schema === null ? undefined : (text) => text && removeExtraFields(text, schema, keys)
  },
  extract_tools_from_run(_schemas, _path, run) {
    const tools = run && readToolsOfRun(run)
    return tools && (() => printJson(tools))
  },
}

/** A list stays a list; a value that was converted to several, such as results of tools, becomes a list. */
function convertElements(text: string, convert: (value: unknown) => unknown[]): string {
  const value = parseKeepingDigits(text)
  if (typeof value !== 'object' || value === null) return text
  if (!Array.isArray(value)) {
    const made = convert(value)
    return printJson(made.length === 1 ? made[0] : made)
  }
  const isBatch = value.length > 0 && value.every(Array.isArray)
  return printJson(isBatch ? value.map((inner) => inner.flatMap(convert)) : value.flatMap(convert))
}

/** Tools of a run's model, as OpenAI tools; undefined when the run has none. */
function readToolsOfRun(run: SourceRun): unknown[] | undefined {
  const extra = parseKeepingDigits(run.extra)
  const inputs = parseKeepingDigits(run.inputs)
  const called = isRecord(extra) ? extra.invocation_params : undefined
  const places = [called, inputs, isRecord(inputs) ? inputs.invocation_params : undefined].filter(isRecord)
  for (const place of places) {
    for (const tools of [place.tools, place.functions]) {
      if (Array.isArray(tools) && tools.length > 0) return tools.flatMap(toOpenaiTools)
    }
  }
  return undefined
}

/**
 * Converts a tool definition in any known form (OpenAI with or without its wrapper, Anthropic, Bedrock, Gemini, a JSON
 * Schema with a title) to OpenAI tools: Gemini puts several into one object. Other values are returned unchanged.
 */
function toOpenaiTools(given: unknown): unknown[] {
  if (!isRecord(given)) return [given]
  const declared = given.functionDeclarations ?? given.function_declarations
  if (Array.isArray(declared)) return declared.flatMap(toOpenaiTools)
  if (isRecord(given.function)) return [{ ...given, type: 'function' }]
  if (isRecord(given.toolSpec)) {
    const { name, description, inputSchema } = given.toolSpec
    return [toTool(name, description, isRecord(inputSchema) ? inputSchema.json : undefined)]
  }
  if (typeof given.name === 'string') {
    const { name, description, parameters, input_schema, inputSchema, args_schema, strict } = given
    return [toTool(name, description, parameters ?? input_schema ?? inputSchema ?? args_schema, strict)]
  }
  if (typeof given.title === 'string' && isRecord(given.properties)) {
    const { title, description, ...parameters } = given
    return [toTool(title, description, parameters)]
  }
  return [given]
}

function toTool(name: unknown, description: unknown, parameters: unknown, strict?: unknown): JsonRecord {
  const named = {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
  }
  return { type: 'function', function: { ...named, ...(strict !== undefined && { strict }) } }
}

/** A list of messages, or of such lists, without the role `system`. */
function removeSystemMessages(text: string): string {
  if (!isArrayText(text)) return text
  const elements = splitElements(text)
  const kept = elements.filter((element) => !isSystem(JSON.parse(element)))
  const inner = kept.map((element) => (isArrayText(element) ? removeSystemMessages(element) : element))
  return inner.length === elements.length && inner.every((one, index) => one === elements[index])
    ? text
    : `[${inner.join(',')}]`
}

function isSystem(message: unknown): boolean {
  if (!isRecord(message)) return false
  const { role, type, id } = message
  return (role ?? type) === 'system' || (Array.isArray(id) && id.at(-1) === 'SystemMessage')
}

/** The source run of an example, as JSON texts. */
export interface SourceRun {
  readonly inputs: string
  readonly extra: string
}

/** Changes the JSON text at a path; undefined input is a path without a value, undefined output leaves it unchanged. */
type Apply = (text: string | undefined) => string | undefined

/** Applies a change at a path of keys; the rest of the text stays unchanged. */
function applyAt(text: string, keys: readonly string[], apply: Apply): string {
  const [key, ...rest] = keys
  if (key === undefined) return apply(text) ?? text
  if (!isObjectText(text)) return text
  const members = splitMembers(text)
  const before = members.get(key)
  const after = rest.length === 0 ? apply(before) : before && applyAt(before, rest, apply)
  if (after === undefined || after === before) return text
  return printObject(members.set(key, after))
}
