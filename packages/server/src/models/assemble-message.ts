import type { AssistantMessage, ModelFinishReason, ModelTokens, ModelToolCall } from '@touchstone/contract'
import { type Delta, type ToolCallDelta, toCount } from './wire.ts'

const NO_TOKENS: ModelTokens = {
  prompt_tokens: null,
  completion_tokens: null,
  total_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  reasoning_tokens: null,
}

interface OpenToolCall {
  id: string
  name: string
  text: string[]
  signature: string | undefined
}

/** Puts the parts of an answer together. */
export class MessageAssembler {
  readonly #text: string[] = []
  readonly #reasoning: string[] = []
  readonly #signature: string[] = []
  readonly #calls = new Map<number, OpenToolCall>()
  #usage: ModelTokens | undefined
  #finish: { readonly reason: ModelFinishReason; readonly providerReason: string } | undefined
  #model: string | undefined

  add(delta: Delta): void {
    if (delta.type === 'text') this.#text.push(delta.text)
    else if (delta.type === 'reasoning') {
      this.#reasoning.push(delta.text)
      if (delta.signature !== undefined) this.#signature.push(delta.signature)
    } else if (delta.type === 'tool_call') this.#addToolCall(delta)
    else if (delta.type === 'usage') this.#addUsage(delta.usage)
    else if (delta.type === 'finish') this.#finish = delta
    else if (delta.type === 'model') this.#model = delta.model
  }

  #addToolCall({ index, id, name, arguments: text, signature }: ToolCallDelta): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', text: [], signature: undefined }
    this.#calls.set(index, call)
    if (id !== undefined) call.id = id
    if (name !== undefined) call.name = name
    if (text !== undefined) call.text.push(text)
    if (signature !== undefined) call.signature = signature
  }

  /** Counts come in several events; a later one holds. */
  #addUsage(usage: Partial<ModelTokens>): void {
    const known = Object.entries(usage).filter(([, count]) => count != null)
    this.#usage = { ...(this.#usage ?? NO_TOKENS), ...Object.fromEntries(known) }
  }

  get finish() {
    return this.#finish
  }

  get model() {
    return this.#model
  }

  get isEmpty(): boolean {
    return this.#text.length === 0 && this.#calls.size === 0 && this.#reasoning.length === 0
  }

  /** Null when the provider counted nothing. */
  get usage(): ModelTokens | null {
    if (this.#usage === undefined) return null
    const { prompt_tokens, completion_tokens, total_tokens } = this.#usage
    const sum = prompt_tokens === null || completion_tokens === null ? null : prompt_tokens + completion_tokens
    const usage = { ...this.#usage, total_tokens: total_tokens ?? sum }
    // Readers add up counts, and a sum of large ones is not exact any more.
    return Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, toCount(count)])) as ModelTokens
  }

  /** Texts that may have come in pieces. */
  listTexts(): string[] {
    const args = [...this.#calls.values()].map(({ text }) => text.join(''))
    return [this.#text.join(''), this.#reasoning.join(''), this.#signature.join(''), ...args]
  }

  /** The message as far as it has arrived. @param redact  removes secrets */
  toMessage(redact: (text: string) => string): AssistantMessage {
    const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([index, call]) => toToolCall(call, index, redact))
    const [text, reasoning] = [redact(this.#text.join('')), redact(this.#reasoning.join(''))]
    const signature = redact(this.#signature.join(''))
    return {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(reasoning !== '' && { reasoning }),
      ...(signature !== '' && { reasoning_signature: signature }),
    }
  }
}

/** Some providers leave out ids. */
function toToolCall(call: OpenToolCall, index: number, redact: (text: string) => string): ModelToolCall {
  return {
    id: call.id === '' ? `call_${index}` : redact(call.id),
    type: 'function',
    function: { name: redact(call.name), arguments: redact(call.text.join('')) },
    ...(call.signature !== undefined && { signature: redact(call.signature) }),
  }
}
