import type { TokenDetails, TokenUsage } from './token-usage.ts'

/** Tiers with prices of their own. `default`, `standard` and `auto` have the usual ones. */
const TIERS: ReadonlySet<unknown> = new Set(['flex', 'priority', 'batch'])

/** Classes that each tier has its own price for. */
const TIERED: ReadonlySet<string> = new Set(['cache_read', 'cache_creation', 'reasoning'])

/**
 * Puts the tokens of a call into the classes of its service tier, as the LangSmith clients name them: `flex_cache_read`,
 * `flex_reasoning`, and `flex` for the rest.
 *
 * @param tier  as the response names it; any other than `flex`, `priority` and `batch` changes nothing
 */
export function withServiceTier(usage: TokenUsage, tier: unknown): TokenUsage {
  if (typeof tier !== 'string' || !TIERS.has(tier)) return usage
  return {
    ...usage,
    inputDetails: toTier(usage.inputDetails, usage.input, tier),
    outputDetails: toTier(usage.outputDetails, usage.output, tier),
  }
}

function toTier(details: TokenDetails, total: number | undefined, tier: string): TokenDetails {
  const names = Object.keys(details)
  if (total === undefined || names.some((name) => name === tier || name.startsWith(`${tier}_`))) return details
  const renamed = Object.fromEntries(
    names.map((name) => [TIERED.has(name) ? `${tier}_${name}` : name, details[name] ?? 0]),
  )
  const rest = total - names.reduce((sum, name) => sum + (details[name] ?? 0), 0)
  return rest > 0 ? { ...renamed, [tier]: rest } : renamed
}
