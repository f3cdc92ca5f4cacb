import { asRecord, memberAt } from '../json/guards.ts'
import { toAmount } from './token-usage.ts'

/** xAI counts ten billion ticks to the dollar. */
const TICKS = 1e10

/**
 * The cost of the call according to a provider or a proxy, in US dollars: the `cost` of OpenRouter and LiteLLM, the total of
 * Perplexity, the ticks of xAI. It includes what no number of tokens tells, such as searches.
 *
 * @param usage  of the response
 */
export function readReportedCost(usage: unknown): unknown {
  const { cost, cost_in_usd_ticks, is_byok } = asRecord(usage) ?? {}
  const ticks = toAmount(cost_in_usd_ticks)
  if (ticks !== undefined) return ticks / TICKS
  const sum = asRecord(cost)
  if (sum !== undefined) return sum.currency === undefined || sum.currency === 'USD' ? sum.total_cost : undefined
  // With a key of one's own, OpenRouter reports its fee, and beside it what the provider takes.
  const upstream = is_byok === true ? toAmount(memberAt(usage, 'cost_details', 'upstream_inference_cost')) : undefined
  return upstream === undefined ? cost : upstream + (toAmount(cost) ?? 0)
}
