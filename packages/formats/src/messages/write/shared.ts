import { parseModelJson } from '../../json/exact-json.ts'
import { isRecord, type JsonRecord } from '../../json/guards.ts'
import type { Media, Message, Part, ReasoningPart, Signer, ToolCall, ToolResult } from '../model.ts'

/** Prints a JSON value. */
export type Print = (value: unknown) => string

export const printJson: Print = (value) => JSON.stringify(value) ?? 'null'

export const isSystem = ({ role }: Message) => role === 'system' || role === 'developer'

/** A call that the provider runs itself is no call that an API takes back. */
export const isOwnCall = (part: Part): part is ToolCall => part.kind === 'tool_call' && !part.isOfProvider
export const isOwnResult = (part: Part): part is ToolResult => part.kind === 'tool_result' && !part.isOfProvider

/** The arguments of a call as an object, for APIs that take nothing else. Other text is kept under `invalid_json`. */
export function toArguments({ args, text }: ToolCall): JsonRecord {
  if (text === undefined) return isRecord(args) ? args : { value: args }
  if (text.trim() === '') return {}
  try {
    const value = parseModelJson(text)
    return isRecord(value) ? value : { invalid_json: text }
  } catch {
    return { invalid_json: text }
  }
}

/** The arguments of a call as text. */
export function printArguments({ args, text }: ToolCall, print: Print): string {
  return text ?? (typeof args === 'string' ? args : print(args))
}

/** Media type and base64 text of a data URL; undefined for other URLs. */
export function parseDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const comma = url.indexOf(',')
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=-]+)*;base64$/.exec(url.slice(0, Math.max(0, comma)))
  return head?.[1] === undefined ? undefined : { mediaType: head[1], data: url.slice(comma + 1) }
}

/** Whether an address alone is all of a medium. */
export const hasOnlyAddress = ({ url, text, transcript }: Media) =>
  url !== undefined && text === undefined && transcript === undefined

/** What the format of an API lacks, as it was recorded. */
export function keepPart(part: Part, print: Print): JsonRecord[] {
  // Encrypted by another provider, it would be refused.
  if (part.kind === 'reasoning' && part.isHidden && part.signedBy !== undefined) return []
  if (part.raw !== undefined) return [part.raw]
  if (part.kind === 'unknown') return isRecord(part.value) ? [part.value] : [{ type: 'text', text: print(part.value) }]
  return part.kind === 'sources' ? part.sources.map(({ raw }) => ({ ...raw, type: 'source' })) : []
}

/** Blocks that came from one block, such as a call and its result, are written once. */
export function removeCopies(blocks: readonly JsonRecord[]): JsonRecord[] {
  return [...new Set(blocks)]
}

/** Turns of one role that follow one another are one turn, as APIs demand it for results of several tools. */
export function joinTurns<Turn extends { readonly role: string }, Key extends keyof Turn>(
  turns: readonly (Turn & { readonly [Name in Key]: readonly JsonRecord[] })[],
  key: Key,
): Turn[] {
  const joined: { readonly turn: Turn; readonly blocks: JsonRecord[] }[] = []
  for (const turn of turns) {
    const last = joined.at(-1)
    if (last?.turn.role === turn.role) for (const block of turn[key]) last.blocks.push(block)
    else joined.push({ turn, blocks: [...turn[key]] })
  }
  return joined.map(({ turn, blocks }) => ({ ...turn, [key]: blocks }))
}

/** The proof of reasoning, if the provider takes it: it refuses the proof of another one. */
export function findProof({ signature, signedBy }: ReasoningPart, provider: Signer): string | undefined {
  return signedBy === undefined || signedBy === provider ? signature : undefined
}
