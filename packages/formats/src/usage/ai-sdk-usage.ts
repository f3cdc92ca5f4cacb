import { asRecord, isRecord, memberAt } from '../json/guards.ts'
import { withCacheLifetimes } from './cache-lifetimes.ts'
import { readProviderUsage } from './provider-usage.ts'
import { withServiceTier } from './service-tier.ts'
import type { TokenUsage } from './token-usage.ts'

/**
 * Reads the usage of a call of the AI SDK, versions 5 to 7.
 *
 * @param metadata  `providerMetadata` of the call, in which providers report what the AI SDK has no member for
 */
export function readAiSdkUsage(usage: unknown, metadata: unknown): TokenUsage | undefined {
  const given = asRecord(usage)
  if (given === undefined) return undefined
  const long = memberAt(metadata, 'anthropic', 'usage', 'cache_creation', 'ephemeral_1h_input_tokens')
  const found = readProviderUsage(
    {
      ...given,
      cacheCreationInputTokens:
        memberAt(metadata, 'anthropic', 'cacheCreationInputTokens') ??
        memberAt(metadata, 'bedrock', 'usage', 'cacheWriteInputTokens'),
      cache_creation: { ephemeral_1h_input_tokens: long },
    },
    { isCacheBeside: isOld(given) && hasCacheBeside(metadata) },
  )
  if (found === undefined) return undefined
  const timed = typeof long === 'number' && long > 0 ? withCacheLifetimes(found) : found
  return withServiceTier(timed, memberAt(metadata, 'openai', 'serviceTier'))
}

/** Version 5 has a number where later ones have an object with the parts. */
const isOld = ({ inputTokens }: Readonly<Record<string, unknown>>) => !isRecord(inputTokens)

/** In version 5 the providers of Anthropic and Bedrock do not count tokens of the cache in the input. */
const hasCacheBeside = (metadata: unknown) =>
  ['anthropic', 'bedrock'].some((provider) => isRecord(memberAt(metadata, provider)))
