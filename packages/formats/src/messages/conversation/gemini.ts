import { asList, asRecord, asText } from '../../json/guards.ts'
import type { Message } from '../model.ts'
import { readGrounding } from '../read/citations.ts'
import { joinGeminiCalls } from '../read/gemini-calls.ts'
import { readParts } from '../read/read-parts.ts'
import { toRole } from '../roles.ts'
import { type Format, TOOL_FIELDS, textMessage, toSide } from './side.ts'

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
    return toSide(all, 'contents', 'systemInstruction', 'system_instruction', ...TOOL_FIELDS)
  },
  output(outputs) {
    const messages = asList(outputs.candidates)?.flatMap(readCandidate)
    return toSide(messages, 'candidates')
  },
}

function readCandidate(value: unknown): Message[] {
  const candidate = asRecord(value) ?? {}
  const [message] = readContents([candidate.content]) ?? []
  if (message === undefined) return []
  const sources = readGrounding(candidate)
  return [sources.length === 0 ? message : { ...message, parts: [...message.parts, { kind: 'sources', sources }] }]
}

function readContents(value: unknown): Message[] | undefined {
  const contents = (asList(value) ?? [value]).map(asRecord)
  if (!contents.some((content) => asList(content?.parts))) return undefined
  return contents.flatMap((content) => {
    if (!content) return []
    return [
      { role: toRole(asText(content.role) ?? 'user'), parts: readParts(joinGeminiCalls(asList(content.parts) ?? [])) },
    ]
  })
}
