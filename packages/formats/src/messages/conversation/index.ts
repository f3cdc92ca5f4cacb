import { asList, asRecord, type JsonRecord } from '../../json/guards.ts'
import type { Message, OfferedTool, Part } from '../model.ts'
import { readOfferedTools } from '../read/tools.ts'
import { ANTHROPIC, BEDROCK } from './anthropic.ts'
import { GEMINI } from './gemini.ts'
import { GENERIC } from './generic.ts'
import { LANGCHAIN } from './langchain.ts'
import { OPENAI_CHAT, OPENAI_RESPONSES } from './openai.ts'
import { type Format, type ReadSide, readOnlyField } from './side.ts'

export type { Format } from './side.ts'

/** From the most specific format to the most general. The first one that reads a side is used. */
export const FORMATS: readonly Format[] = [
  LANGCHAIN,
  OPENAI_RESPONSES,
  GEMINI,
  BEDROCK,
  ANTHROPIC,
  OPENAI_CHAT,
  GENERIC,
]

/** What the messages of a side do not show, to be shown as JSON. */
export interface Remainder {
  /** Whether the side has no messages. */
  readonly isWhole: boolean
  /** Members of the side that are in the messages; the others remain. */
  readonly readFields: readonly string[]
  /** The other members; empty if the side is not an object or has no members. */
  readonly otherFields: readonly string[]
}

/** Input and output messages of a run, independent of the format of the provider. */
export interface Conversation {
  readonly format: Format
  readonly input: readonly Message[]
  readonly output: readonly Message[]
  /** Tools that the model could call. */
  readonly tools: readonly OfferedTool[]
  /** Undefined where the messages show the whole side, or nothing was recorded. */
  readonly rest: { readonly inputs: Remainder | undefined; readonly outputs: Remainder | undefined }
}

/**
 * Reads a run's inputs and outputs as a conversation. What is not a message is in `rest`.
 *
 * @param choice  id of the only format to try
 * @returns undefined if neither has messages
 */
export function readConversation(inputs: unknown, outputs: unknown, choice?: string): Conversation | undefined {
  const [inputFields, outputFields] = [asRecord(inputs) ?? {}, asRecord(outputs) ?? {}]
  const formats = choice === undefined ? FORMATS : FORMATS.filter(({ id }) => id === choice)
  const known = {
    input: readWithFirst(formats, (format) => format.input(inputFields)),
    output: readWithFirst(formats, (format) => format.output(outputFields)),
  }
  const format = selectMoreSpecific(known.input?.format, known.output?.format)
  if (!format) return undefined
  const input = known.input ?? readOnlyField(inputFields, 'user')
  const output = known.output ?? readOnlyField(outputFields, 'assistant')
  const offered = readTools(inputFields)
  return {
    format,
    input: input?.messages ?? [],
    output: removeRepetition(input?.messages ?? [], output?.messages ?? []),
    tools: offered.tools,
    rest: {
      inputs: findRemainder(inputs, input && [...input.fields, ...offered.fields]),
      outputs: findRemainder(outputs, output?.fields),
    },
  }
}

/**
 * What remains of a side.
 *
 * @param readFields  the members that are shown; undefined if nothing of the side is
 */
export function findRemainder(side: unknown, readFields: readonly string[] | undefined): Remainder | undefined {
  if (side === null || side === undefined) return undefined
  const otherFields = Object.keys(asRecord(side) ?? {}).filter((name) => !readFields?.includes(name))
  if (readFields === undefined) return { isWhole: true, readFields: [], otherFields }
  return otherFields.length > 0 ? { isWhole: false, readFields, otherFields } : undefined
}

/** Removes the input messages from an output that begins with them, as the state of a graph does. */
function removeRepetition(input: readonly Message[], output: readonly Message[]): readonly Message[] {
  const isRepeated =
    output.length > input.length &&
    input.every((message, i) => toMessageKey(message) === toMessageKey(output[i] as Message))
  return isRepeated ? output.slice(input.length) : output
}

/** A text that two messages share when they show the same: their ids and the formats of their blocks may differ. */
export function toMessageKey({ role, name, parts }: Message): string {
  try {
    return JSON.stringify({ role, name, parts: parts.map(toShown) })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Nested too deeply to be compared: it is like no other.
    return `${role} ${++uncompared}`
  }
}

let uncompared = 0

/** Formats differ in how arguments are written, how closely an image is looked at, and in what is cited. */
function toShown(part: Part): object {
  switch (part.kind) {
    case 'tool_call':
      return { kind: part.kind, id: part.id, name: part.name, args: part.args }
    case 'tool_result':
      return { kind: part.kind, id: part.id, parts: part.parts.map(toShown) }
    case 'media':
      return { kind: part.kind, url: part.media.url ?? part.media.fileId ?? part.media.text }
    case 'text':
      return { kind: part.kind, text: part.text }
    default: {
      const { raw: _raw, rest: _rest, ...shown } = part
      return shown
    }
  }
}

function readWithFirst(formats: readonly Format[], read: (format: Format) => ReadSide | undefined) {
  for (const format of formats) {
    const side = read(format)
    if (side && side.messages.length > 0) return { format, ...side }
  }
  return undefined
}

function selectMoreSpecific(a: Format | undefined, b: Format | undefined): Format | undefined {
  if (!a || !b) return a ?? b
  return FORMATS.indexOf(a) < FORMATS.indexOf(b) ? a : b
}

/** The tools that a model could call, and the members of its inputs that they show completely. */
function readTools(inputs: JsonRecord): { readonly tools: readonly OfferedTool[]; readonly fields: readonly string[] } {
  const config = asRecord(inputs.config) ?? asRecord(inputs.toolConfig)
  const found = [inputs.tools, config?.tools, inputs.functions].map(readOfferedTools)
  return {
    tools: found.flat(),
    fields: ['tools', 'functions'].filter((name) => showsAll(inputs[name])),
  }
}

function showsAll(tools: unknown): boolean {
  if (tools === undefined || tools === null) return true
  if (typeof tools !== 'object') return false
  const byName = () => Object.entries(asRecord(tools) ?? {}).map((entry) => Object.fromEntries([entry]))
  const each = asList(tools)?.map((one) => [one]) ?? byName()
  return each.every((one) => readOfferedTools(one).length > 0)
}
