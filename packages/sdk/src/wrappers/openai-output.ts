import { isObject } from '../guards.ts'
import type { KVMap } from '../schemas.ts'
import { mergeDelta, withoutCallIndexes } from './merge-deltas.ts'

/** The answer with `usage_metadata` instead of `usage`. */
export function toOutputs(outputs: KVMap): KVMap {
  const { usage, ...rest } = outputs
  const tier: unknown = outputs.service_tier
  return isObject(usage) ? { ...rest, usage_metadata: toUsage(usage, tier) } : outputs
}

const DETAILS = {
  input: [
    ['audio', 'audio_tokens'],
    ['cache_read', 'cached_tokens'],
  ],
  output: [
    ['audio', 'audio_tokens'],
    ['reasoning', 'reasoning_tokens'],
  ],
} as const

/** Tokens of chat completions (`prompt_tokens`) and of responses (`input_tokens`), which include their details. */
function toUsage(usage: KVMap, tier: unknown): KVMap {
  const input = toCount(usage.prompt_tokens ?? usage.input_tokens)
  const output = toCount(usage.completion_tokens ?? usage.output_tokens)
  const read = (side: 'input' | 'output', total: number) => {
    const given: unknown =
      side === 'input'
        ? (usage.prompt_tokens_details ?? usage.input_tokens_details)
        : (usage.completion_tokens_details ?? usage.output_tokens_details)
    return toDetails(side, isObject(given) ? given : {}, { tier, total })
  }
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: toCount(usage.total_tokens) || input + output,
    ...named('input_token_details', read('input', input)),
    ...named('output_token_details', read('output', output)),
  }
}

/** Tiers with a price of their own: their parts have a prefix, and the rest is a part with the name of the tier. */
function toDetails(
  side: 'input' | 'output',
  given: KVMap,
  { tier, total }: { readonly tier: unknown; readonly total: number },
): Record<string, number> {
  const prefix = tier === 'priority' || tier === 'flex' ? `${tier}_` : ''
  const details: Record<string, number> = {}
  for (const [name, key] of DETAILS[side]) {
    const count: unknown = given[key]
    if (typeof count === 'number') details[prefix + name] = count
  }
  if (prefix === '') return details
  const parts = Object.values(details).reduce((sum, one) => sum + one, 0)
  return { ...details, [prefix.slice(0, -1)]: Math.max(total - parts, 0) }
}

const toCount = (value: unknown) => (typeof value === 'number' ? value : 0)
const named = (key: string, details: object) => (Object.keys(details).length === 0 ? {} : { [key]: details })

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
