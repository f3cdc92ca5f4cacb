import { readProviderUsage, readReportedCost, toUsageMetadata, withServiceTier } from '@touchstone/formats/usage'
import { isObject } from '../guards.ts'
import type { KVMap } from '../schemas.ts'
import { mergeDelta, withoutCallIndexes } from './merge-deltas.ts'

/** The answer with `usage_metadata` instead of `usage`, which stays only for a cost that the provider reports in it. */
export function toOutputs(outputs: KVMap): KVMap {
  const { usage, ...rest } = outputs
  const found = readProviderUsage(usage)
  if (found === undefined) return outputs
  const usage_metadata = toUsageMetadata(withServiceTier(found, outputs.service_tier))
  return { ...rest, ...(readReportedCost(usage) !== undefined && { usage }), usage_metadata }
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
    // The id and the model are those of the first chunk; some servers leave them out of the last one.
    for (const [key, value] of Object.entries(rest))
      if (value != null && (whole[key] == null || key === 'usage')) whole[key] = value
    for (const part of parts ?? []) {
      const index = part.index ?? 0
      const choice = choices.get(index) ?? { index }
      choices.set(index, choice)
      mergeChoice(choice, part)
    }
  }
  const sorted = [...choices.values()].sort((a, b) => (a.index as number) - (b.index as number))
  const complete = sorted.map((choice) =>
    isObject(choice.message) ? { ...choice, message: withoutCallIndexes(choice.message) } : choice,
  )
  return { ...whole, object, choices: complete }
}

function mergeRest(choice: KVMap, rest: KVMap): void {
  const { logprobs, ...others } = rest
  for (const [key, value] of Object.entries(others)) if (value != null || !(key in choice)) choice[key] = value
  if (!isObject(logprobs)) return
  const known = isObject(choice.logprobs) ? choice.logprobs : {}
  choice.logprobs = Object.fromEntries(
    Object.entries(logprobs).map(([key, value]) => {
      const before: unknown = known[key]
      return [
        key,
        Array.isArray(before) && Array.isArray(value) ? [...before, ...(value as unknown[])] : (value ?? before),
      ]
    }),
  )
}

const LAST_EVENTS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** The events of a response: the last complete response, else the last event. */
export function mergeResponseEvents(events: readonly KVMap[]): KVMap {
  const response: unknown = events.findLast(({ type }) => LAST_EVENTS.has(type))?.response
  return isObject(response) ? response : (events.at(-1) ?? {})
}
