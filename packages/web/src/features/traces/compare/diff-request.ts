import { readConversation } from '@touchstone/formats/messages'
import type { ChatMessage, ChatPart } from '#features/payloads/chat/conversation.ts'
import type { DiffRequest } from '#lib/diff/ask-diff.ts'
import type { Turn } from '#lib/diff/diff-turns.ts'
import { type RunDocument, readPayload } from '../queries.ts'

export type DiffTab = 'chat' | 'json' | 'text'

interface Payload {
  inputs: unknown
  outputs: unknown
}

/** The texts or messages of two runs to compare; a missing run is empty. */
export async function buildDiffRequest(
  tab: DiffTab,
  a: RunDocument | undefined,
  b: RunDocument | undefined,
): Promise<DiffRequest> {
  if (tab === 'json') return { kind: 'json', a: await readJson(a), b: await readJson(b) }
  const [payloadA, payloadB] = [await loadPayload(a), await loadPayload(b)]
  if (tab === 'chat') return { kind: 'chat', a: toTurns(payloadA) ?? [], b: toTurns(payloadB) ?? [] }
  return { kind: 'text', a: formatOutput(a, payloadA), b: formatOutput(b, payloadB) }
}

/** Inputs, outputs and error as they are stored, byte for byte. */
async function readJson(document: RunDocument | undefined): Promise<string> {
  if (!document) return ''
  const fields = document.json.fields.filter(({ key }) => ['inputs', 'outputs', 'error'].includes(key))
  const members = await Promise.all(
    fields.map(async ({ key, start, end }) => `${JSON.stringify(key)}:${await document.json.call('text', start, end)}`),
  )
  return `{${members.join(',')}}`
}

async function loadPayload(document: RunDocument | undefined): Promise<Payload> {
  if (!document) return { inputs: undefined, outputs: undefined }
  return document.payload ?? (await readPayload(document.json))
}

function formatOutput(document: RunDocument | undefined, payload: Payload): string {
  return [formatAnswer(payload), document?.run.error ?? ''].filter((text) => text !== '').join('\n\n')
}

/** The messages of a run as text, with tool calls and results. Returns undefined if the run has no messages. */
export function toTurns(payload: Payload): Turn[] | undefined {
  const conversation = readConversation(payload.inputs, payload.outputs)
  return conversation && [...conversation.input, ...conversation.output].map(toTurn)
}

/** The output of a run as text: its output messages, or its outputs as JSON. */
function formatAnswer(payload: Payload): string {
  const conversation = readConversation(payload.inputs, payload.outputs)
  if (conversation && conversation.output.length > 0)
    return conversation.output.map((message) => toTurn(message).text).join('\n\n')
  return payload.outputs === undefined || payload.outputs === null ? '' : JSON.stringify(payload.outputs, null, 2)
}

export function toTurn({ role, name, parts }: ChatMessage): Turn {
  return { role: name === undefined ? role : `${role} ${name}`, text: parts.map(formatPart).join('\n') }
}

function formatPart(part: ChatPart): string {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text
    case 'reasoning':
      return `(reasoning) ${part.text}`
    case 'code':
      return part.code
    case 'sources':
      return part.sources.map(({ title, url }) => `(source) ${[title, url].filter(Boolean).join(' ')}`).join('\n')
    case 'media':
      if (part.media.text !== undefined) return part.media.text
      return `(${part.media.type}) ${part.media.label ?? part.media.url?.slice(0, 200) ?? ''}`
    case 'tool_call':
      return `${part.name}(${typeof part.args === 'string' ? part.args : JSON.stringify(part.args, null, 2)})`
    case 'tool_result':
      return part.parts.map(formatPart).join('\n')
    case 'unknown':
      return JSON.stringify(part.value, null, 2)
  }
}
