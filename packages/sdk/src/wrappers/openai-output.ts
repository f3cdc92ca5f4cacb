import { readProviderUsage, readReportedCost, toUsageMetadata, withServiceTier } from '@touchstone/formats/usage'
import { isObject, isRecord } from '../guards.ts'
import type { KVMap } from '../schemas.ts'
import { extendList, finishMessage, mergeDelta, toOwn } from './merge-deltas.ts'

/** The answer with `usage_metadata` instead of `usage`, which stays only for a cost that the provider reports in it. */
export function toOutputs(outputs: KVMap): KVMap {
  const { usage, ...rest } = outputs
  const found = findUsage(outputs)
  if (found === undefined) return outputs
  const usage_metadata = toUsageMetadata(withServiceTier(found, outputs.service_tier))
  return { ...rest, ...(readReportedCost(usage) !== undefined && { usage }), usage_metadata }
}

/** Streams of Groq and Moonshot have it elsewhere. */
function findUsage({ usage, x_groq, choices }: KVMap) {
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : []
  const places = [usage, isObject(x_groq) && x_groq.usage, isObject(choice) && choice.usage]
  return places.map((place) => readProviderUsage(place)).find((found) => found !== undefined)
}

interface Chunk {
  readonly choices?: readonly { readonly index?: number; readonly [key: string]: unknown }[]
  readonly [key: string]: unknown
}

/** The chunks of a chat completion as the completion that the API returns without streaming. */
export function mergeChatChunks(chunks: readonly Chunk[]): KVMap {
  return mergeChunks(chunks, 'chat.completion', (choice, part) => {
    const { delta, index: _, ...rest } = part
    choice.message = mergeDelta((choice.message as KVMap | undefined) ?? {}, isObject(delta) ? delta : {})
    mergeRest(choice, rest)
  })
}

/** The chunks of a completion of text. */
export function mergeTextChunks(chunks: readonly Chunk[]): KVMap {
  return mergeChunks(chunks, 'text_completion', (choice, part) => {
    const { text, index: _, ...rest } = part
    choice.text = `${typeof choice.text === 'string' ? choice.text : ''}${typeof text === 'string' ? text : ''}`
    mergeRest(choice, rest)
  })
}

function mergeChunks(
  chunks: readonly Chunk[],
  object: string,
  mergeChoice: (choice: KVMap, part: KVMap) => void,
): KVMap {
  const whole: KVMap = {}
  const choices = new Map<number, KVMap>()
  for (const { choices: parts, ...rest } of chunks) {
    // The id and the model are those of the first chunk; some servers leave them out of the last one. The first one of Azure
    // has the results of its filter, and nothing in the other members.
    for (const [key, value] of Object.entries(rest)) {
      const before = whole[key]
      if (value == null) continue
      if (!before || LATEST.has(key)) whole[key] = value
      else if (isRecord(before) && isRecord(value)) whole[key] = { ...before, ...value }
    }
    for (const part of parts ?? []) {
      const index = part.index ?? 0
      const choice = choices.get(index) ?? { index }
      choices.set(index, choice)
      mergeChoice(choice, part)
    }
  }
  const sorted = [...choices.values()].sort((a, b) => (a.index as number) - (b.index as number))
  const complete = sorted.map((choice) =>
    isObject(choice.message) ? { ...choice, message: finishMessage(choice.message) } : choice,
  )
  return { ...whole, object, choices: complete }
}

/** Members whose first value is a guess or a part. */
const LATEST: ReadonlySet<string> = new Set(['usage', 'service_tier'])

/** What a choice has beside its text: lists go on, such as log probabilities and ids of tokens, objects are merged. */
function mergeRest(choice: KVMap, rest: KVMap): void {
  for (const [key, value] of Object.entries(rest)) {
    const before: unknown = choice[key]
    if (Array.isArray(before) && Array.isArray(value)) choice[key] = extendList(before, value)
    else if (isRecord(before) && isRecord(value)) {
      const merged = toOwn(before)
      mergeRest(merged, value)
      choice[key] = merged
    } else if (value != null || !(key in choice)) choice[key] = value
  }
}
