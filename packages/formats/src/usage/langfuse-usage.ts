import { asRecord, type JsonRecord } from '../json/guards.ts'
import { readProviderUsage } from './provider-usage.ts'
import { type TokenUsage, toCount, withoutZeros } from './token-usage.ts'

/**
 * Reads `usage_details` of Langfuse. Its keys are disjoint: what contains `input` adds up to the input, likewise the output.
 * It also accepts the usage of OpenAI as it is, whose totals include their details.
 */
export function readLangfuseUsage(details: JsonRecord): TokenUsage | undefined {
  if (isOfProvider(details)) return readProviderUsage(details)
  const numbers = Object.entries(details).map(([key, value]) => [key, toCount(value)] as const)
  const sumOf = (part: string) => {
    const found = numbers.filter(([key, number]) => key.includes(part) && number !== undefined)
    return found.length === 0 ? undefined : found.reduce((sum, [, number = 0]) => sum + number, 0)
  }
  const [input, output] = [sumOf('input'), sumOf('output')]
  const total = toCount(details.total)
  if (input === undefined && output === undefined && total === undefined) return undefined
  const pick = (...keys: string[]) => keys.map((key) => toCount(details[key])).find((one) => one !== undefined)
  return {
    input,
    output,
    total: input === undefined && output === undefined ? total : (input ?? 0) + (output ?? 0),
    inputDetails: withoutZeros({
      cache_read: pick('input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens'),
      cache_creation: pick('input_cache_creation', 'input_cache_write', 'cache_creation_input_tokens'),
      audio: pick('input_audio_tokens'),
    }),
    outputDetails: withoutZeros({ reasoning: pick('output_reasoning_tokens'), audio: pick('output_audio_tokens') }),
  }
}

function isOfProvider(details: JsonRecord): boolean {
  if ('prompt_tokens' in details || 'completion_tokens' in details) return true
  return Object.values(details).some((value) => asRecord(value) !== undefined)
}
