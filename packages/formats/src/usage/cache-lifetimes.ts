import { type TokenUsage, withoutZeros } from './token-usage.ts'

/**
 * Usage of a provider whose prices of cache writes depend on how long the cache lives, with the classes as the LangSmith
 * clients name them. Writes without a reported lifetime have the default of five minutes.
 */
export function withCacheLifetimes({ inputDetails, ...usage }: TokenUsage): TokenUsage {
  const {
    cache_creation = 0,
    ephemeral_5m_input_tokens: short = 0,
    ephemeral_1h_input_tokens: long = 0,
    ...others
  } = inputDetails
  const details = { ephemeral_5m_input_tokens: short + cache_creation, ephemeral_1hr_input_tokens: long }
  return { ...usage, inputDetails: { ...others, ...withoutZeros(details) } }
}
