import { isRecord, type JsonRecord } from '../../../json/guards.ts'
import { parseKeepingDigits, printJson } from '../../../json/keep-digits.ts'
import type { ExampleRow } from '../examples/index.ts'
import { toOpenaiMessages } from '../schemas/index.ts'
import type { Pages } from './export-csv.ts'

/** Lines of OpenAI fine-tuning: the whole conversation, and the tools it could call. */
export async function* fineTuningOf(pages: Pages): AsyncGenerator<string> {
  for await (const rows of pages) {
    yield rows.map((row) => `${printJson(fineTuningLine(row))}\n`).join('')
  }
}

/** Lines of OpenAI evals: the conversation so far, and the text it should end with. */
export async function* evalsOf(pages: Pages): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${printJson(evalsLine(row))}\n`).join('')
}

function fineTuningLine(row: ExampleRow): object {
  const { asked, answered, tools } = conversationOf(row)
  return { messages: [...asked, ...answered], ...tools }
}

function evalsLine(row: ExampleRow): object {
  const { asked, answered } = conversationOf(row)
  return { input: asked, ideal: answered.map(textOf).join('\n') }
}

interface Conversation {
  readonly asked: readonly unknown[]
  readonly answered: readonly unknown[]
  readonly tools: Readonly<Record<string, unknown>>
}

/** Conversations stand under known keys; anything else is a question and an answer in text. */
function conversationOf(row: ExampleRow): Conversation {
  try {
    return readConversation(row)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Nested too deeply for the stack: no conversation is.
    const answered = row.outputs === null ? [] : [{ role: 'assistant', content: row.outputs }]
    return { asked: [{ role: 'user', content: row.inputs }], answered, tools: {} }
  }
}

function readConversation(row: ExampleRow): Conversation {
  const inputs = parseKeepingDigits(row.inputs) as JsonRecord
  const outputs = row.outputs === null ? undefined : (parseKeepingDigits(row.outputs) as JsonRecord)
  const messages = messagesIn(inputs)
  const asked = messages ?? [{ role: 'user', content: onlyText(inputs) ?? row.inputs }]
  const tools = Object.fromEntries(
    ['tools', 'functions'].flatMap((key) => (Array.isArray(inputs[key]) ? [[key, inputs[key]]] : [])),
  )
  return { asked, answered: outputs === undefined ? [] : answerIn(outputs, row.outputs!), tools }
}

function messagesIn(inputs: JsonRecord): unknown[] | undefined {
  for (const list of [inputs.messages, inputs.input, onlyValue(inputs)]) {
    if (!Array.isArray(list) || list.length === 0) continue
    const made = list.flatMap(toOpenaiMessages)
    if (made.every(isMessage)) return made
  }
  return undefined
}

function answerIn(outputs: JsonRecord, text: string): unknown[] {
  const candidates = [outputs, outputs.output, outputs.message, outputs.messages, onlyValue(outputs)]
  for (const candidate of candidates) {
    const made = [candidate].flat().flatMap(toOpenaiMessages)
    if (made.length > 0 && made.every(isMessage)) return made
  }
  return [{ role: 'assistant', content: onlyText(outputs) ?? text }]
}

const isMessage = (value: unknown) =>
  isRecord(value) &&
  typeof value.role === 'string' &&
  ('content' in value || 'tool_calls' in value || 'function_call' in value)

function onlyValue(object: JsonRecord): unknown {
  const values = Object.values(object)
  return values.length === 1 ? values[0] : undefined
}

/** The one string in it, whatever else there is. */
function onlyText(object: JsonRecord): string | undefined {
  const texts = Object.values(object).filter((value) => typeof value === 'string')
  return texts.length === 1 ? (texts[0] as string) : undefined
}

function textOf(message: unknown): string {
  const { content, tool_calls } = message as JsonRecord
  if (typeof content === 'string') return content
  return printJson(content ?? tool_calls ?? null)
}
