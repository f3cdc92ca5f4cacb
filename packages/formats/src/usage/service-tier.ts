import type { TokenDetails, TokenUsage } from './token-usage.ts'

/** Tiers with prices of their own. `default`, `standard` and `auto` have the usual ones. */
const TIERS: ReadonlySet<unknown> = new Set(['flex', 'priority', 'batch', 'balanced', 'ultrafast'])

/** What Vertex calls the tier: `ON_DEMAND_PRIORITY`, `ON_DEMAND_FLEX`. */
const TRAFFIC = /^ON_DEMAND_(\w+)$/

/** Classes that each tier has its own price for. */
const TIERED: ReadonlySet<string> = new Set(['cache_read', 'cache_creation', 'reasoning'])

/**
 * Puts the tokens of a call into the classes of its service tier, as the LangSmith clients name them: `flex_cache_read`,
 * `flex_reasoning`, and `flex` for the rest.
 *
 * @param reported  as the response names it; one without prices of its own changes nothing
 */
export function withServiceTier(usage: TokenUsage, reported: unknown): TokenUsage {
  if (typeof reported !== 'string') return usage
  const tier = (TRAFFIC.exec(reported)?.[1] ?? reported).toLowerCase()
  if (!TIERS.has(tier)) return usage
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
