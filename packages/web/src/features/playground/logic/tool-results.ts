import type { ModelMessage } from '@touchstone/contract'
import { printJson } from '#features/prompts/print-json.ts'
import type { StreamedCall } from './answers.ts'
import { readModelMessages } from './read-messages.ts'
import { asFields, asText, getText, toFields, toList } from './variant.ts'

/** What a tool answered when the application called it, or what a dataset row has as its answer. */
export interface RecordedResult {
  readonly name: string
  /** The arguments of the recorded call; undefined where only the answer is known. */
  readonly arguments: unknown
  readonly text: string
  readonly from: 'trace' | 'dataset'
}

/** A recorded answer to a call, and whether the recorded call had the same arguments. */
export interface FoundResult {
  readonly result: RecordedResult
  readonly isSame: boolean
}

/** A run of the recorded trace, with its payload. */
export interface RecordedRun {
  readonly name: string
  readonly run_type: string
  readonly inputs?: unknown
  readonly outputs?: unknown
  readonly error?: string | null | undefined
}

/** Answers of tools in a trace: those of its tool runs, then those in the messages that models got. */
export function listTraceResults(runs: readonly RecordedRun[]): RecordedResult[] {
  const ofTools = runs.flatMap(({ name, run_type, inputs, outputs, error }): RecordedResult[] => {
    const text = outputs == null ? (error ?? undefined) : toResultText(outputs)
    return run_type === 'tool' && text !== undefined
      ? [{ name, arguments: readArguments(inputs), text, from: 'trace' }]
      : []
  })
  const ofModels = runs
    .filter(({ run_type }) => run_type === 'llm')
    .flatMap(({ inputs }) => listConversationResults(inputs))
  return dropCopies([...ofTools, ...ofModels.map((one) => ({ ...one, from: 'trace' as const }))])
}

/** Fields of a row that hold answers of tools by name. */
const HOLDERS = ['tool_results', 'tool_outputs', 'tools', 'mocks'] as const

/**
 * Answers of tools in a row of a dataset: in conversations of its inputs and reference outputs, and in fields with the name
 * of a tool, there, in the metadata, or in an object such as `tool_results`.
 */
export function listRowResults(
  row: { readonly inputs?: unknown; readonly outputs?: unknown; readonly metadata?: unknown },
  tools: readonly string[],
): RecordedResult[] {
  const sides = [row.outputs, row.metadata, row.inputs].map(toFields)
  const holders = sides.flatMap((side) => [...HOLDERS.map((name) => toFields(side[name])), side])
  const named = [...new Set(tools)].flatMap((name): RecordedResult[] => {
    const holder = holders.find((fields) => Object.hasOwn(fields, name) && fields[name] != null)
    if (holder === undefined) return []
    return [{ name, arguments: undefined, text: toResultText(holder[name]), from: 'dataset' }]
  })
  const spoken = [row.outputs, row.inputs].flatMap(listConversationResults)
  return dropCopies([...named, ...spoken.map((one) => ({ ...one, from: 'dataset' as const }))])
}

/** The recorded answer to a call: with the same arguments, or of the same tool. Each is used once. */
export function findResults(
  calls: readonly Pick<StreamedCall, 'name' | 'arguments'>[],
  recorded: readonly RecordedResult[],
): (FoundResult | undefined)[] {
  const left = new Set(recorded)
  const found = calls.map(({ name, arguments: text }): FoundResult | undefined => {
    const given = printSorted(parse(text))
    const same = [...left].find((one) => one.name === name && printSorted(one.arguments) === given)
    if (same === undefined) return undefined
    left.delete(same)
    return { result: same, isSame: true }
  })
  return found.map((exact, at) => {
    const name = calls[at]?.name
    const other = exact ?? [...left].find((one) => one.name === name)
    if (exact !== undefined || other === undefined) return exact
    const result = other as RecordedResult
    left.delete(result)
    return { result, isSame: false }
  })
}

/** Calls with their results in the first list of messages of a payload. */
function listConversationResults(payload: unknown): Omit<RecordedResult, 'from'>[] {
  const fields = toFields(payload)
  const lists = [payload, fields.messages, fields.input, fields.contents, fields.output, fields.history]
  return lists.flatMap((list) => (Array.isArray(list) ? listMessageResults(flatten(list)) : []))
}

function listMessageResults(list: readonly unknown[]): Omit<RecordedResult, 'from'>[] {
  const messages: readonly ModelMessage[] = readModelMessages(list, [])
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return []
    const call = calls.find(({ id }) => id === message.tool_call_id)
    if (call === undefined) return []
    return [{ name: call.function.name, arguments: parse(call.function.arguments), text: getText(message.content) }]
  })
}

const flatten = (list: readonly unknown[]) => (list.every(Array.isArray) ? list.flat(1) : list)

/** LangChain records the arguments of a tool as a text with Python's quotes, or as JSON below `input`. */
function readArguments(inputs: unknown): unknown {
  const { input, args, arguments: given, ...others } = toFields(inputs)
  const value = given ?? args ?? (Object.keys(others).length === 0 ? input : undefined)
  return typeof value === 'string' ? parse(value) : (value ?? inputs)
}

/** The answer as a model gets it: a text, or JSON. */
function toResultText(outputs: unknown): string {
  if (typeof outputs === 'string') return outputs
  const [[name, only] = ['', undefined], ...others] = Object.entries(toFields(outputs))
  if (others.length === 0 && (name === 'output' || name === 'result')) {
    // LangChain records the tool message.
    const content = toFields(toFields(only).kwargs).content ?? (asFields(only) && toFields(only).content)
    return asText(content) ?? asText(only) ?? printJson(only)
  }
  return printJson(outputs)
}

function dropCopies(results: readonly RecordedResult[]): RecordedResult[] {
  const known = new Set<string>()
  return results.filter((one) => {
    const text = printSorted([one.name, one.arguments, one.text])
    return known.has(text) ? false : known.add(text)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    return text
  }
}

/** JSON with sorted keys, so that equal arguments have equal texts. */
function printSorted(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? ''
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return toList(value).map(sortKeys)
  const fields = asFields(value)
  if (fields === undefined) return value
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((name) => [name, sortKeys(fields[name])]),
  )
}
