import { isObject, isRecord } from '../../guards.ts'
import type { KVMap } from '../../schemas.ts'

/**
 * A message of the AI SDK in the form of OpenAI: calls of tools are `tool_calls`, results of tools are messages of their
 * own, images and files have data URLs.
 *
 * @param responseMetadata  recorded as `response_metadata`
 */
export function convertMessageToTracedFormat(message: KVMap, responseMetadata?: KVMap): KVMap {
  const [first = {}, ...others] = toMessages(message)
  const results = [first, ...others].map(({ role: _, ...result }) => ({ type: 'tool_result', ...result }))
  const converted = others.length > 0 ? { role: 'tool', content: results } : first
  return responseMetadata === undefined ? converted : { ...converted, response_metadata: responseMetadata }
}

/** One message, or one for each result of a tool. */
export function toMessages(message: unknown): KVMap[] {
  if (!isRecord(message)) return []
  const { content, ...rest } = message
  if (!Array.isArray(content)) return [{ ...message }]
  const parts = content as unknown[]
  const results = parts.filter((part) => isRecord(part) && part.type === 'tool-result') as KVMap[]
  if (rest.role === 'tool') return results.map(toToolMessage)
  // A provider may execute a tool itself: its call and its result are in one answer.
  const calls = parts.filter((part) => isRecord(part) && part.type === 'tool-call') as KVMap[]
  const blocks = parts.flatMap(toBlock)
  const answer: KVMap = {
    ...rest,
    content: blocks.length === 0 && calls.length > 0 ? null : blocks,
    ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
  }
  return [answer, ...results.map(toToolMessage)]
}

/** What a model or a step answered, as one message. Results of tools that the provider ran are blocks of it. */
export function toAnswer(content: unknown): KVMap {
  const parts: unknown[] = Array.isArray(content) ? content : []
  const [answer] = toMessages({ role: 'assistant', content: parts })
  const results = parts.filter((part) => isRecord(part) && RESULTS.has(part.type) && part.providerExecuted === true)
  if (answer === undefined || results.length === 0) return answer ?? { role: 'assistant', content: null }
  const blocks = parts.flatMap((part) => (results.includes(part) ? [part] : toBlock(part)))
  return { ...answer, content: blocks }
}

const RESULTS: ReadonlySet<unknown> = new Set(['tool-result', 'tool-error'])

function toToolCall(call: KVMap): KVMap {
  const { toolCallId, toolName, input } = call
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  const named = { name: toolName as unknown, arguments: text }
  return { id: toolCallId as unknown, type: 'function', function: named, ...readProviderMembers(call) }
}

/** What a provider has beside the content, such as signatures of thoughts and marks of the cache. */
function readProviderMembers({ providerMetadata, providerOptions }: KVMap): KVMap {
  return {
    ...(providerMetadata != null && { providerMetadata: providerMetadata as unknown }),
    ...(providerOptions != null && { providerOptions: providerOptions as unknown }),
  }
}

function toToolMessage({ toolCallId, toolName, output, result }: KVMap): KVMap {
  const given: unknown = output ?? result
  const { type, value = given }: KVMap = isRecord(given) && typeof given.type === 'string' ? given : {}
  const isFailed = typeof type === 'string' && type.startsWith('error')
  return {
    role: 'tool',
    tool_call_id: toolCallId as unknown,
    name: toolName as unknown,
    content: type === 'content' && Array.isArray(value) ? value.flatMap(toBlock) : toText(value),
    ...(isFailed && { status: 'error' }),
  }
}

function toText(value: unknown): unknown {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function toBlock(part: unknown): unknown[] {
  if (!isRecord(part)) return [part]
  switch (part.type) {
    case 'tool-call':
    case 'tool-result':
    case 'tool-error':
      return []
    case 'text':
      return toTextBlock({ type: 'text', text: part.text }, part)
    case 'reasoning':
      return toTextBlock({ type: 'reasoning', reasoning: part.text }, part)
    case 'image': {
      const url = toUrl(part.image, readMediaType(part) ?? 'image/*')
      return [{ type: 'image_url', image_url: { url }, ...readProviderMembers(part) }]
    }
    case 'media':
    case 'image-data':
    case 'file':
    case 'file-data':
      return [{ ...toFile(part), ...readProviderMembers(part) }]
    default:
      return [{ ...part }]
  }
}

/** Hidden thoughts have an empty text. */
function toTextBlock(block: KVMap, part: KVMap): KVMap[] {
  const about = readProviderMembers(part)
  return part.text === '' && Object.keys(about).length === 0 ? [] : [{ ...block, ...about }]
}

function toFile(part: KVMap): KVMap {
  const file: KVMap = isRecord(part.file) ? part.file : part
  const mediaType = readMediaType(file)
  const url = toUrl(file.data ?? file.base64 ?? file.url, mediaType)
  if (mediaType?.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  return {
    type: 'file',
    file: { ...(file.filename !== undefined && { filename: file.filename as unknown }), file_data: url },
  }
}

function readMediaType({ mediaType, mimeType }: KVMap): string | undefined {
  const found = mediaType ?? mimeType
  return typeof found === 'string' ? found : undefined
}

/** The data of a file: base64, bytes, a URL, or one of these with its kind. */
function toUrl(data: unknown, mediaType = 'application/octet-stream'): unknown {
  if (data instanceof URL) return data.href
  if (typeof data === 'string') return /^(https?|data):/.test(data) ? data : `data:${mediaType};base64,${data}`
  if (data instanceof ArrayBuffer) return toUrl(new Uint8Array(data), mediaType)
  if (data instanceof Uint8Array) return `data:${mediaType};base64,${toBase64(data)}`
  if (isObject(data)) return toUrl(data.data ?? data.url ?? data.text ?? JSON.stringify(data), mediaType)
  return undefined
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}

/** The first of these in a stream is the time of the first token. */
export const TOKEN_PARTS: ReadonlySet<unknown> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-input-delta',
  'tool-call',
  'file',
])

/** The parts of a model's stream as the answer that the model gives without streaming. */
export function mergeParts(parts: readonly KVMap[]): KVMap {
  const answer = new StreamedAnswer()
  const rest: KVMap = {}
  for (const part of parts) {
    if (part.type === 'finish') {
      const { usage, finishReason, providerMetadata } = part
      Object.assign(rest, { usage, finishReason, ...(providerMetadata !== undefined && { providerMetadata }) })
    } else if (part.type === 'stream-start') {
      if (Array.isArray(part.warnings) && part.warnings.length > 0) rest.warnings = part.warnings
    } else if (part.type === 'response-metadata') {
      const { type: _, ...response } = part
      rest.response = response
    } else answer.add(part)
  }
  return { content: answer.content, ...rest }
}

/** Parts that are whole. */
const OTHERS: ReadonlySet<unknown> = new Set([
  'file',
  'source',
  'reasoning-file',
  'tool-approval-request',
  'tool-approval-response',
  'custom',
])

class StreamedAnswer {
  readonly content: KVMap[] = []
  /** Positions of the blocks that may go on or be replaced. */
  readonly #positions = new Map<string, number>()

  add(part: KVMap): void {
    const { type, id, toolName, toolCallId, delta, providerMetadata } = part
    const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(String(type)) ?? []
    if (kind !== undefined) {
      const key = `${kind} ${id}`
      // Some providers leave the start out.
      if (step === 'start' || !this.#positions.has(key)) this.#begin(key, { type: kind, text: '' })
      if (step === 'delta') this.#goOn(key, 'text', delta)
      // Signatures come with the last of these.
      const block = this.content[this.#positions.get(key) ?? -1]
      if (block && providerMetadata != null) block.providerMetadata = providerMetadata
    } else if (type === 'tool-input-start') {
      // The call itself follows, unless the stream ends early.
      this.#begin(`call ${id}`, { type: 'tool-call', toolCallId: id, toolName, input: '' })
    } else if (type === 'tool-input-delta') this.#goOn(`call ${id}`, 'input', delta)
    else if (type === 'tool-call') this.#put(`call ${toolCallId}`, part)
    // A tool of the provider may have several preliminary results.
    else if (type === 'tool-result') this.#put(`result ${toolCallId}`, part)
    else if (OTHERS.has(type)) this.content.push({ ...part })
  }

  #begin(key: string, block: KVMap): void {
    this.#positions.set(key, this.content.push(block) - 1)
  }

  #goOn(key: string, member: 'text' | 'input', delta: unknown): void {
    const block = this.content[this.#positions.get(key) ?? -1]
    if (block && typeof delta === 'string') block[member] = `${block[member]}${delta}`
  }

  #put(key: string, part: KVMap): void {
    const position = this.#positions.get(key)
    if (position === undefined) this.#begin(key, { ...part })
    else this.content[position] = { ...part }
  }
}
