import type {
  ModelCall,
  ModelFinishReason,
  ModelMessagePart,
  ModelParameterName,
  ModelTokens,
} from '@touchstone/contract'
import { isRecord, type JsonRecord } from '@touchstone/formats/guards'

/** How calls and answers look at one kind of provider. */
export interface Wire {
  /** Name for messages to people. */
  readonly name: string
  /** @param host  of the provider, because some hosts refuse what others of the same format need */
  build(call: ModelCall, stream: boolean, host: string): WireRequest
  /** @param call  the call that is answered */
  createReader(call: ModelCall): WireReader
  /** Query of the list of models. */
  readonly modelsQuery?: string
  /** Names in the answer of the list of models; undefined when it is no such answer. */
  readModels(answer: unknown): string[] | undefined
}

export interface WireRequest {
  /** Below the base URL; may have a query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: JsonRecord
  /** Fields of the body that the caller can remove: the provider's name → the caller's name. */
  readonly sent: ReadonlyMap<string, string>
  /** Parameters that the wire format has no name for. */
  readonly unsent: readonly string[]
}

/** Reads one answer. */
export interface WireReader {
  /** Reads an event of a stream; `data` is its parsed JSON. */
  readEvent(data: unknown): readonly Delta[]
  /** Reads an answer that came as one JSON text. */
  readWhole(answer: unknown): readonly Delta[]
}

/** A part of an answer in the order of arrival. */
export type Delta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string; readonly signature?: string }
  | ToolCallDelta
  | { readonly type: 'usage'; readonly usage: Partial<ModelTokens> }
  | { readonly type: 'finish'; readonly reason: ModelFinishReason; readonly providerReason: string }
  | { readonly type: 'model'; readonly model: string }
  /** Nothing follows, whether or not the connection stays open. */
  | { readonly type: 'end' }
  /** A failure that the provider reports within a stream. */
  | { readonly type: 'error'; readonly error: unknown }

export interface ToolCallDelta {
  readonly type: 'tool_call'
  /** Position among the tool calls of the answer; the parts of one call share it. */
  readonly index: number
  readonly id?: string
  readonly name?: string
  /** The next characters of the arguments. */
  readonly arguments?: string
  readonly signature?: string
}

/** The fields for the parameters of a call. */
export interface SentParameters {
  readonly fields: JsonRecord
  readonly sent: Map<string, string>
  readonly unsent: readonly string[]
}

/** Gives parameters the names of a wire format. */
export function nameParameters(
  { parameters }: Pick<ModelCall, 'parameters'>,
  names: Partial<Readonly<Record<ModelParameterName, string>>>,
): SentParameters {
  const given = Object.entries(parameters ?? {}).filter(([, value]) => value != null)
  const fields: Record<string, unknown> = {}
  const sent = new Map<string, string>()
  const unsent: string[] = []
  const known: Readonly<Record<string, string | undefined>> = names
  for (const [parameter, value] of given) {
    const name = known[parameter]
    if (name === undefined) unsent.push(parameter)
    else {
      fields[name] = value
      sent.set(name, parameter)
    }
  }
  return { fields, sent, unsent }
}

/** Adds fields of the user to a body: objects are merged, `null` removes a field. Notes their names in `sent`. */
export function addExtraBody(
  body: JsonRecord,
  extra: JsonRecord | null | undefined,
  sent: Map<string, string>,
  path = '',
): JsonRecord {
  if (extra == null) return body
  const merged = new Map(Object.entries(body))
  for (const [name, value] of Object.entries(extra)) {
    const before = merged.get(name)
    if (value === null) merged.delete(name)
    else if (isRecord(before) && isRecord(value)) merged.set(name, addExtraBody(before, value, sent, `${path}${name}.`))
    else merged.set(name, value)
    if (value !== null) sent.set(name, path + name)
  }
  return Object.fromEntries(merged)
}

export type Content = string | readonly ModelMessagePart[] | null | undefined

export function toParts(content: Content): readonly ModelMessagePart[] {
  if (content == null || content === '') return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** A whole number of tokens; null for anything else. */
export function toCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** A text that is not empty. */
export function toWord(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
