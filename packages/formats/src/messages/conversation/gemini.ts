import { asList, asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import type { Message } from '../model.ts'
import { readGrounding } from '../read/citations.ts'
import { joinGeminiCalls } from '../read/gemini-calls.ts'
import { readParts } from '../read/read-parts.ts'
import { toRole } from '../roles.ts'
import { type Format, textMessage, toSide } from './side.ts'

export const GEMINI: Format = {
  id: 'gemini',
  label: 'Gemini',
  input(inputs) {
    const { contents } = inputs
    const config = asRecord(inputs.config)
    const system = [
      inputs.systemInstruction,
      inputs.system_instruction,
      config?.systemInstruction,
      config?.system_instruction,
    ]
    const given = system.find((one) => one != null)
    const text = asText(contents)
    const messages = text === undefined ? readContents(contents) : [textMessage('user', text)]
    if (!messages) return undefined
    const parts = readParts(asRecord(given)?.parts ?? given)
    const all = parts.length > 0 ? [{ role: 'system', parts }, ...messages] : messages
    return toSide(all, 'contents', 'systemInstruction', 'system_instruction')
  },
  output(outputs) {
    const messages = asList(outputs.candidates)?.flatMap(readCandidate)
    return toSide(messages, 'candidates')
  },
}

function readCandidate(value: unknown): Message[] {
  const candidate = asRecord(value) ?? {}
  const [message] = readContents([candidate.content], 'assistant') ?? []
  if (message === undefined) return []
  const sources = readGrounding(candidate)
  return [sources.length === 0 ? message : { ...message, parts: [...message.parts, { kind: 'sources', sources }] }]
}

/** Contents of the API. Its packages take texts and parts beside them: neighbors are a message together. */
function readContents(value: unknown, role = 'user'): Message[] | undefined {
  const values = asList(value) ?? [value]
  if (!values.some((one) => asList(asRecord(one)?.parts))) return undefined
  return joinParts(values).map((content) => ({
    role: toRole(asText(content.role) ?? role),
    parts: readParts(joinGeminiCalls(asList(content.parts) ?? [])),
  }))
}

function joinParts(values: readonly unknown[]): JsonRecord[] {
  const contents: JsonRecord[] = []
  let open: unknown[] | undefined
  for (const value of values) {
    const record = asRecord(value)
    if (record !== undefined && (asList(record.parts) || 'role' in record)) {
      open = undefined
      contents.push(record)
      continue
    }
    const text = asText(value)
    const part = text === undefined ? record : { text }
    if (part === undefined) continue
    if (open === undefined) {
      open = []
      contents.push({ parts: open })
    }
    open.push(part)
  }
  return contents
}
