import type {
  AssistantMessage,
  KeyHeader,
  ModelCall,
  ModelFinishReason,
  ModelProblem,
  ModelProviderKind,
  ModelTokens,
  RawModelReply,
  RawModelRequest,
} from '@touchstone/contract'
import { createParser } from 'eventsource-parser'
import { OutboundError } from '../outbound/allowed-targets.ts'
import type { Outbound, OutboundStream } from '../outbound/open-outbound.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { MessageAssembler } from './assemble-message.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import {
  aCutOff,
  aProblem,
  type CallFacts,
  isErrorBody,
  toNetworkProblem,
  toStatusProblem,
  toStreamProblem,
} from './problems.ts'
import { isSecretHeader, REDACTED, SecretRedactor } from './redact-secrets.ts'
import type { Delta, ToolCallDelta, Wire, WireReader } from './wire.ts'

/** A provider with its secrets, for one call. It is never logged, stored or returned. */
export interface ModelConnection {
  readonly kind: ModelProviderKind
  readonly baseUrl: string
  readonly keyHeader: KeyHeader
  readonly key: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

export interface CallOptions {
  /** Cancels the call; it then ends with `failed` and the code `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** Whether the answer comes in parts. @default true */
  readonly stream?: boolean
  /** Milliseconds for the whole call. @default 600000 */
  readonly timeoutMs?: number
  /** Milliseconds without a byte of the answer. @default 120000 */
  readonly idleMs?: number
  /** Bytes of the answer as it is sent. @default 16777216 */
  readonly maxReplyBytes?: number
}

/**
 * What happens in a call: `request` first, then the parts of the answer as they come, then exactly one `done` or `failed`.
 * No event contains the key or the value of a secret header, also when the provider repeats them.
 */
export type ModelEvent =
  | {
      readonly type: 'request'
      readonly request: RawModelRequest
      /** Parameters that the wire format has no name for; `extra_body` can send them. */
      readonly unsent_parameters: readonly string[]
    }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool_call'
      /** Position among the tool calls of the answer; the parts of one call share it. */
      readonly index: number
      readonly id?: string
      readonly name?: string
      /** The next characters of the arguments. */
      readonly arguments?: string
    }
  | ({
      readonly type: 'done'
      readonly finish_reason: ModelFinishReason
      readonly provider_finish_reason: string
    } & Result)
  | ({ readonly type: 'failed'; readonly problem: ModelProblem } & Result)

interface Result {
  /** The answer, or the part of it that arrived. */
  readonly message: AssistantMessage
  /** Null when the provider counted nothing. */
  readonly usage: ModelTokens | null
  /** The model that answered, as the provider names it; null when it does not. */
  readonly model: string | null
  /** Null when no answer came. */
  readonly reply: RawModelReply | null
  readonly latency_ms: number
  /** Until the first part of the answer; null without one. */
  readonly first_token_ms: number | null
}

export const WIRES: Readonly<Record<ModelProviderKind, Wire>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  gemini,
}

/** Bytes of a request and of an answer that are kept. */
const MAX_RAW = 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
/** Each tool call of a response costs work of its own; models call a few. */
const MAX_TOOL_CALLS = 1_000
const DEFAULTS = { stream: true, timeoutMs: 600_000, idleMs: 120_000, maxReplyBytes: 16 * 1024 * 1024 }

/**
 * Calls a model. Failures of the provider and of the network are the last event and not thrown. A caller that stops reading
 * ends the connection.
 *
 * @param call  of a trusted shape: parse it with the contract's `ModelCall`
 */
export async function* callModel(
  outbound: Outbound,
  connection: ModelConnection,
  call: ModelCall,
  options: CallOptions = {},
): AsyncGenerator<ModelEvent, void> {
  const limits = { ...DEFAULTS, ...options }
  const wire = WIRES[connection.kind]
  const {
    path,
    headers = {},
    body,
    sent,
    unsent,
  } = wire.build(call, limits.stream, new URL(connection.baseUrl).hostname)
  const url = joinUrl(connection.baseUrl, path)
  const secretHeaders = toSecretHeaders(connection)
  const redactor = new SecretRedactor(listSecrets(connection))
  const text = JSON.stringify(body)
  const plainHeaders = { 'content-type': 'application/json', ...headers }
  yield {
    type: 'request',
    request: toRawRequest({ url, headers: { ...plainHeaders, ...secretHeaders }, body: text }, redactor),
    unsent_parameters: unsent,
  }
  const facts: CallFacts = {
    host: new URL(url).host,
    wireName: wire.name,
    model: call.model,
    hasKey: connection.key !== undefined,
    sent,
  }
  const reading = new Reading(wire.createReader(call), facts, redactor)
  let stream: OutboundStream | undefined
  try {
    stream = await outbound.open({
      method: 'POST',
      url,
      headers: plainHeaders,
      secretHeaders,
      body: text,
      timeoutMs: limits.timeoutMs,
      idleMs: limits.idleMs,
      sameHost: true,
      ...(limits.signal !== undefined && { signal: limits.signal }),
    })
    yield* reading.read(stream, limits.maxReplyBytes)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    // After its last part, an answer is complete, however its connection ends.
    if (!reading.isFinished) reading.fail(toNetworkProblem(error, facts))
  } finally {
    if (reading.isFinished || (stream?.status ?? 0) >= 300) void stream?.release()
    else stream?.close()
  }
  yield reading.end()
}

/** The reading of one answer: bytes to events, and what is kept of them. */
class Reading {
  readonly #startedAt = performance.now()
  readonly #message = new MessageAssembler()
  readonly #reader: WireReader
  readonly #facts: CallFacts
  readonly #redactor: SecretRedactor
  readonly #texts: ReturnType<SecretRedactor['stream']>
  readonly #reasoning: ReturnType<SecretRedactor['stream']>
  /** Arguments of tool calls by their index. */
  readonly #arguments = new Map<number, ReturnType<SecretRedactor['stream']>>()
  #stream: OutboundStream | undefined
  #raw = ''
  #isTruncated = false
  #isComplete = false
  #problem: ModelProblem | undefined
  #firstTokenMs: number | null = null

  constructor(reader: WireReader, facts: CallFacts, redactor: SecretRedactor) {
    this.#reader = reader
    this.#facts = facts
    this.#redactor = redactor
    this.#texts = redactor.stream()
    this.#reasoning = redactor.stream()
  }

  get isFinished(): boolean {
    return this.#message.finish !== undefined
  }

  fail(problem: ModelProblem): void {
    this.#problem ??= {
      ...problem,
      message: this.#redactor.redact(problem.message),
      provider_message: problem.provider_message && this.#redactor.redact(problem.provider_message),
    }
  }

  async *read(stream: OutboundStream, maxBytes: number): AsyncGenerator<ModelEvent, void> {
    this.#stream = stream
    if (stream.status >= 300) return this.#readError(stream)
    const events: unknown[] = []
    const parser = createParser({
      maxBufferSize: maxBytes,
      onEvent: ({ data }) => {
        if (data === '[DONE]') this.#isComplete = true
        else events.push(this.#parse(data))
      },
    })
    // `raw` is cut at 1 MB; a whole answer is needed in full.
    const whole: string[] = []
    let isStream: boolean | undefined
    for await (const text of this.#decode(stream, maxBytes)) {
      isStream ??= looksLikeStream(stream, text)
      if (isStream === false) whole.push(text)
      if (isStream === true) parser.feed(text)
      for (const data of events.splice(0)) yield* this.#take(this.#reader.readEvent(data))
      if (this.#problem !== undefined) return
      if (this.#isComplete) break // some servers keep the connection open
    }
    if (isStream === true) parser.reset({ consume: true })
    for (const data of events.splice(0)) yield* this.#take(this.#reader.readEvent(data))
    if (isStream === false) yield* this.#take(this.#readWhole(whole.join('')))
    yield* this.#takeRest()
    if (this.#isComplete && this.#message.finish === undefined) {
      this.#message.add({ type: 'finish', reason: 'other', providerReason: '' })
    }
    if (this.#problem === undefined && this.#message.finish === undefined) this.fail(this.#explainEnd(isStream))
  }

  /** The text of the body, without secrets; kept up to a limit. */
  async *#decode(stream: OutboundStream, maxBytes: number): AsyncGenerator<string, void> {
    const decoder = new TextDecoder()
    const redacting = this.#redactor.stream()
    let bytes = 0
    for await (const chunk of stream.chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) {
        this.fail(aProblem('too_large', `The answer of ${this.#facts.host} has more than ${maxBytes} bytes.`))
        return
      }
      const text = redacting.push(decoder.decode(chunk, { stream: true }))
      this.#keep(text)
      if (text !== '') yield text
    }
    const rest = redacting.push(decoder.decode()) + redacting.end()
    this.#keep(rest)
    if (rest !== '') yield rest
  }

  #keep(text: string): void {
    const free = MAX_RAW - this.#raw.length
    if (text.length > free) this.#isTruncated = true
    if (free > 0) this.#raw += text.slice(0, free)
  }

  async #readError(stream: OutboundStream): Promise<void> {
    let text = ''
    for await (const piece of this.#decode(stream, Number.MAX_SAFE_INTEGER)) {
      text += piece
      if (text.length > MAX_ERROR_BYTES) break
    }
    this.fail(toStatusProblem({ status: stream.status, headers: stream.headers, text }, this.#facts))
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      this.fail(this.#invalidReply())
      return undefined
    }
  }

  #readWhole(text: string): readonly Delta[] {
    const answer = this.#parse(text)
    if (isErrorBody(answer)) return [{ type: 'error', error: answer }]
    return this.#problem === undefined ? this.#reader.readWhole(answer) : []
  }

  *#take(deltas: readonly Delta[]): Generator<ModelEvent, void> {
    for (const delta of deltas) {
      if (delta.type === 'end') this.#isComplete = true
      if (delta.type === 'error') this.fail(toStreamProblem(delta.error, this.#facts))
      if (delta.type === 'tool_call' && this.#hasTooMany(delta)) return
      this.#message.add(delta)
      if (delta.type === 'text') yield* this.#takeText(this.#texts.push(delta.text))
      if (delta.type === 'reasoning') yield* this.#takeReasoning(this.#reasoning.push(delta.text))
      if (delta.type === 'tool_call') yield this.#takeToolCall(delta)
    }
  }

  #hasTooMany({ index }: ToolCallDelta): boolean {
    if (this.#arguments.size < MAX_TOOL_CALLS || this.#arguments.has(index)) return false
    const message = `The answer of ${this.#facts.host} has more than ${MAX_TOOL_CALLS} tool calls.`
    this.fail(aProblem('too_large', message))
    return true
  }

  /** What was kept back because it may have been the beginning of a secret. */
  *#takeRest(): Generator<ModelEvent, void> {
    yield* this.#takeReasoning(this.#reasoning.end())
    yield* this.#takeText(this.#texts.end())
    for (const [index, redacting] of this.#arguments) {
      const rest = redacting.end()
      if (rest !== '') yield { type: 'tool_call', index, arguments: rest }
    }
  }

  #takeToolCall({ index, id, name, arguments: text }: ToolCallDelta): ModelEvent {
    this.#firstTokenMs ??= this.#elapsedMs()
    const redacting = this.#arguments.get(index) ?? this.#redactor.stream()
    this.#arguments.set(index, redacting)
    return {
      type: 'tool_call',
      index,
      ...(id !== undefined && { id: this.#redactor.redact(id) }),
      ...(name !== undefined && { name: this.#redactor.redact(name) }),
      ...(text !== undefined && { arguments: redacting.push(text) }),
    }
  }

  *#takeReasoning(text: string): Generator<ModelEvent, void> {
    if (text === '') return
    this.#firstTokenMs ??= this.#elapsedMs()
    yield { type: 'reasoning', text }
  }

  *#takeText(text: string): Generator<ModelEvent, void> {
    if (text === '') return
    this.#firstTokenMs ??= this.#elapsedMs()
    yield { type: 'text', text }
  }

  #explainEnd(isStream: boolean | undefined): ModelProblem {
    if (isStream === true) return aCutOff(this.#facts)
    return this.#invalidReply()
  }

  #invalidReply(): ModelProblem {
    const { host, wireName } = this.#facts
    const type = this.#stream?.headers['content-type'] ?? 'no content type'
    return aProblem(
      'invalid_reply',
      `${host} did not answer in the format of ${wireName} (${type}). Check the kind and the base URL.`,
      { status: this.#stream?.status ?? null, provider_message: this.#raw.slice(0, 500) || null },
    )
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt)
  }

  end(): ModelEvent {
    const stream = this.#stream
    const result: Result = {
      message: this.#message.toMessage((text) => this.#redactor.redact(text)),
      usage: this.#message.usage,
      model: this.#message.model === undefined ? null : this.#redactor.redact(this.#message.model),
      reply: stream === undefined ? null : this.#toRawReply(stream),
      latency_ms: this.#elapsedMs(),
      first_token_ms: this.#firstTokenMs,
    }
    const { finish } = this.#message
    if (this.#problem !== undefined || finish === undefined) {
      return { type: 'failed', problem: this.#problem ?? aCutOff(this.#facts), ...result }
    }
    const provider_finish_reason = this.#redactor.redact(finish.providerReason)
    return { type: 'done', finish_reason: finish.reason, provider_finish_reason, ...result }
  }

  #toRawReply({ status, headers }: OutboundStream): RawModelReply {
    const shown = Object.entries(headers).map(([name, value]) => [
      name,
      isSecretHeader(name) ? REDACTED : this.#redactor.redact(value),
    ])
    const shownHeaders = Object.fromEntries(shown)
    // Whole secrets were removed from the raw body before it was read: these came in pieces, which cannot be searched for.
    const isSplit = this.#message.listTexts().some((text) => this.#redactor.redact(text) !== text)
    if (isSplit) return { status, headers: shownHeaders, body: WITHHELD, truncated: true }
    return { status, headers: shownHeaders, body: this.#raw, truncated: this.#isTruncated }
  }
}

const WITHHELD = 'The raw answer is not shown: it repeats the key of the provider in pieces.'

/** By its type, or by its beginning where a provider gives another type. */
function looksLikeStream({ headers }: OutboundStream, start: string): boolean {
  const type = headers['content-type'] ?? ''
  if (type.includes('event-stream')) return true
  if (type.includes('json')) return false
  return /^\s*(data|event|id|retry)?:/.test(start)
}

/** The path is added before the query of the base URL. */
export function joinUrl(baseUrl: string, path: string): string {
  const url = new URL(baseUrl)
  const [pathname = '', query = ''] = path.split('?', 2)
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '') + pathname
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value)
  return url.href
}

/** The key and all headers of a provider; they are sent to the origin of the base URL only. */
export function toSecretHeaders({ key, keyHeader, headers }: ModelConnection): Record<string, string> {
  if (key === undefined) return { ...headers }
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== keyHeader)
  return { ...Object.fromEntries(others), [keyHeader]: keyHeader === 'authorization' ? `Bearer ${key}` : key }
}

/** All that must not be shown. A short value of a header with another name may be a word of any answer. */
export function listSecrets({ key, headers }: ModelConnection): string[] {
  const isSecret = (name: string, value: string) => isSecretHeader(name) || value.length >= MIN_HEADER_SECRET
  const secrets = Object.entries(headers).flatMap(([name, value]) => (isSecret(name, value) ? [value] : []))
  return key === undefined ? secrets : [key, ...secrets]
}

const MIN_HEADER_SECRET = 12

interface SentRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Users' headers are hidden as in the settings, whatever their names are. */
function toRawRequest({ url, headers, body }: SentRequest, redactor: SecretRedactor): RawModelRequest {
  const shown = Object.entries(headers).map(([name, value]) => [name, SHOWN_HEADERS.has(name) ? value : REDACTED])
  return {
    method: 'POST',
    url: redactor.redact(url),
    headers: Object.fromEntries(shown),
    body: redactor.redact(body.slice(0, MAX_RAW)),
    truncated: body.length > MAX_RAW,
  }
}

const SHOWN_HEADERS: ReadonlySet<string> = new Set(['content-type', 'anthropic-version'])
