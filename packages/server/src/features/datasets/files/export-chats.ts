import { parseKeepingDigits, printJson } from '@touchstone/formats/exact-json'
import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import type { ExampleRow } from '../examples/index.ts'
import { toOpenaiMessages } from '../schemas/index.ts'
import type { ExamplePages } from './export-dataset.ts'

/** Lines for OpenAI fine-tuning: the whole conversation, with the available tools. */
export async function* writeFineTuning(pages: ExamplePages): AsyncGenerator<string> {
  for await (const rows of pages) {
    yield rows.map((row) => `${printJson(toFineTuningLine(row))}\n`).join('')
  }
}

/** Lines for OpenAI evals: the conversation, and the expected last text. */
export async function* writeEvals(pages: ExamplePages): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${printJson(toEvalsLine(row))}\n`).join('')
}

function toFineTuningLine(row: ExampleRow): object {
  const { asked, answered, tools } = toConversation(row)
  return { messages: [...asked, ...answered], ...tools }
}

function toEvalsLine(row: ExampleRow): object {
  const { asked, answered } = toConversation(row)
  return { input: asked, ideal: answered.map(toText).join('\n') }
}

interface Conversation {
  readonly asked: readonly unknown[]
  readonly answered: readonly unknown[]
  readonly tools: Readonly<Record<string, unknown>>
}

/** Reads conversations from well-known keys; other examples become a question and an answer in text. */
function toConversation(row: ExampleRow): Conversation {
  try {
    return readConversation(row)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Nested too deeply for the stack, so it is no conversation.
    const answered = row.outputs === null ? [] : [{ role: 'assistant', content: row.outputs }]
    return { asked: [{ role: 'user', content: row.inputs }], answered, tools: {} }
  }
}

function readConversation(row: ExampleRow): Conversation {
  const inputs = parseKeepingDigits(row.inputs) as JsonRecord
  const outputs = row.outputs === null ? undefined : (parseKeepingDigits(row.outputs) as JsonRecord)
  const messages = findMessages(inputs)
  const asked = messages ?? [{ role: 'user', content: getOnlyText(inputs) ?? row.inputs }]
  const tools = Object.fromEntries(
    ['tools', 'functions'].flatMap((key) => (Array.isArray(inputs[key]) ? [[key, inputs[key]]] : [])),
  )
  const answered = outputs === undefined || row.outputs === null ? [] : findAnswer(outputs, row.outputs)
  return { asked, answered, tools }
}

function findMessages(inputs: JsonRecord): unknown[] | undefined {
  for (const list of [inputs.messages, inputs.input, getOnlyValue(inputs)]) {
    if (!Array.isArray(list) || list.length === 0) continue
    const made = list.flatMap((value) => toOpenaiMessages(value, 'send'))
    if (made.every(isMessage)) return made
  }
  return undefined
}

function findAnswer(outputs: JsonRecord, text: string): unknown[] {
  const candidates = [outputs, outputs.output, outputs.message, outputs.messages, getOnlyValue(outputs)]
  for (const candidate of candidates) {
    const made = [candidate].flat().flatMap((value) => toOpenaiMessages(value, 'send'))
    if (made.length > 0 && made.every(isMessage)) return made
  }
  return [{ role: 'assistant', content: getOnlyText(outputs) ?? text }]
}

const isMessage = (value: unknown) =>
  isRecord(value) &&
  typeof value.role === 'string' &&
  ('content' in value || 'tool_calls' in value || 'function_call' in value)

function getOnlyValue(object: JsonRecord): unknown {
  const values = Object.values(object)
  return values.length === 1 ? values[0] : undefined
}

/** The only string among the values. */
function getOnlyText(object: JsonRecord): string | undefined {
  const texts = Object.values(object).filter((value) => typeof value === 'string')
  return texts.length === 1 ? (texts[0] as string) : undefined
}

function toText(message: unknown): string {
  const { content, tool_calls } = message as JsonRecord
  if (typeof content === 'string') return content
  return printJson(content ?? tool_calls ?? null)
}
