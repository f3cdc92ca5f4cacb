import { isRecord } from '../../guards.ts'
import type { KVMap } from '../../schemas.ts'

const count = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** The totals and parts of usage in versions 6 and 7 (objects), and in version 5 (numbers). */
function readCounts({ inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens }: KVMap) {
  const input: KVMap = isRecord(inputTokens) ? inputTokens : { total: inputTokens, cacheRead: cachedInputTokens }
  const output: KVMap = isRecord(outputTokens) ? outputTokens : { total: outputTokens, reasoning: reasoningTokens }
  return {
    isOld: !isRecord(inputTokens),
    input: count(input.total) ?? 0,
    output: count(output.total) ?? 0,
    total: count(totalTokens),
    cacheRead: count(input.cacheRead),
    cacheWrite: count(input.cacheWrite),
    reasoning: count(output.reasoning),
  }
}

/** What a model call of the AI SDK used. Parts are included in the totals. */
export function toUsage({ usage, providerMetadata }: KVMap): KVMap | undefined {
  if (!isRecord(usage)) return undefined
  const { isOld, input, output, total, cacheRead, cacheWrite, reasoning } = readCounts(usage)
  const provided: KVMap = isRecord(providerMetadata) ? providerMetadata : {}
  const written = readCacheWrites(provided, cacheWrite)
  const cached = (cacheRead ?? 0) + Object.values(written).reduce((sum, one) => sum + one, 0)
  // In version 5 the providers of Anthropic and Bedrock do not count tokens of the cache in the input.
  const isExclusive = (isOld && (isRecord(provided.anthropic) || isRecord(provided.bedrock))) || cached > input
  const allInput = isExclusive ? input + cached : input
  const tier = readTier(provided)
  const details = {
    input: toTier(tier, allInput, { ...(cacheRead !== undefined && { cache_read: cacheRead }), ...written }),
    output: toTier(tier, output, { ...(reasoning !== undefined && { reasoning }) }),
  }
  return {
    input_tokens: allInput,
    output_tokens: output,
    total_tokens: isExclusive ? allInput + output : (total ?? allInput + output),
    ...(Object.keys(details.input).length > 0 && { input_token_details: details.input }),
    ...(Object.keys(details.output).length > 0 && { output_token_details: details.output }),
  }
}

/** Anthropic prices tokens by the time that they stay in the cache, and reports them apart. */
function readCacheWrites({ anthropic, bedrock }: KVMap, known: number | undefined): Record<string, number> {
  const own: KVMap = isRecord(anthropic) ? anthropic : {}
  const raw: KVMap = isRecord(own.usage) ? own.usage : {}
  const byTime: KVMap = isRecord(raw.cache_creation) ? raw.cache_creation : {}
  const long = count(byTime.ephemeral_1h_input_tokens) ?? 0
  const bedrockUsage: KVMap = isRecord(bedrock) && isRecord(bedrock.usage) ? bedrock.usage : {}
  const all = known ?? count(own.cacheCreationInputTokens) ?? count(bedrockUsage.cacheWriteInputTokens) ?? 0
  if (long > 0) return { ephemeral_5m_input_tokens: Math.max(all - long, 0), ephemeral_1hr_input_tokens: long }
  return all > 0 ? { cache_creation: all } : {}
}

function readTier({ openai }: KVMap): string | undefined {
  const tier = isRecord(openai) ? openai.serviceTier : undefined
  return tier === 'flex' || tier === 'priority' ? tier : undefined
}

/** Tiers with a price of their own: their parts have a prefix, and the rest is a part with the name of the tier. */
function toTier(tier: string | undefined, total: number, parts: Record<string, number>): Record<string, number> {
  if (tier === undefined) return parts
  const named = Object.entries(parts).map(([name, tokens]) => [`${tier}_${name}`, tokens] as const)
  const rest = total - named.reduce((sum, [, tokens]) => sum + tokens, 0)
  return { ...Object.fromEntries(named), [tier]: Math.max(rest, 0) }
}
