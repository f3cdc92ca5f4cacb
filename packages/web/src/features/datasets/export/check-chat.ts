import { roundDigits } from '@touchstone/formats/exact-json'
import { isRecord, type JsonRecord, member } from '@touchstone/formats/guards'
import type { ExportedRow } from './export-rows.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

/**
 * Returns why a line for OpenAI does not fit, or `undefined`.
 *
 * @param format  `openai_ft`: messages that end with the answer; `openai`: the question, and the ideal answer
 * @param row     the example that the line was made from
 */
export function findChatProblem(format: 'openai' | 'openai_ft', line: unknown, row: ExportedRow): string | undefined {
  if (!isRecord(line)) return 'cannot be written as a conversation'
  const list = member(line, format === 'openai' ? 'input' : 'messages')
  const messages = Array.isArray(list) ? list.filter(isRecord) : []
  if (isJsonOf(row.inputs, messages[0])) return 'the inputs are neither messages nor one text'
  if (row.outputs === null) return 'there are no reference outputs, so there is no answer'
  if (format === 'openai') {
    return isSameJson(row.outputs, member(line, 'ideal')) ? 'the outputs are neither messages nor one text' : undefined
  }
  const last = messages.at(-1)
  if (last === undefined || last.role !== 'assistant') return 'the conversation does not end with an answer'
  if (isJsonOf(row.outputs, last)) return 'the outputs are neither messages nor one text'
  return messages.map(findMessageProblem).find((problem) => problem !== undefined)
}

function findMessageProblem(
  { role, content, tool_calls, function_call }: JsonRecord,
  index: number,
): string | undefined {
  const isKnown = typeof role === 'string' && ROLES.includes(role)
  if (!isKnown) return `message ${index + 1} has the role “${String(role).slice(0, 40)}”, which OpenAI does not take`
  const isEmpty = content === undefined || content === null || content === ''
  return isEmpty && tool_calls === undefined && function_call === undefined
    ? `message ${index + 1} is empty`
    : undefined
}

/** Whether a message only quotes an object, because the server found no conversation in it. */
function isJsonOf(object: JsonRecord, message: JsonRecord | undefined): boolean {
  return isSameJson(object, message?.content)
}

function isSameJson(object: JsonRecord, text: unknown): boolean {
  if (typeof text !== 'string' || !/^\s*\{/.test(text)) return false
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(roundDigits(object))
  } catch {
    return false
  }
}
