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
  const upstream = is_byok === true ? toDecimal(memberAt(usage, 'cost_details', 'upstream_inference_cost')) : undefined
  return upstream === undefined ? cost : addDecimals(upstream, toDecimal(cost) ?? ZERO)
}

/** `digits` divided by ten to the power of `places`. */
interface Decimal {
  readonly digits: bigint
  readonly places: number
}

const ZERO: Decimal = { digits: 0n, places: 0 }
const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i

function toDecimal(value: unknown): Decimal | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const [, whole, fraction = '', power = '0'] = DECIMAL.exec(text) ?? []
  return whole === undefined ? undefined : { digits: BigInt(whole + fraction), places: fraction.length - Number(power) }
}

/** The exact sum as text: as numbers, 0.1 and 0.2 are 0.30000000000000004. */
function addDecimals(one: Decimal, other: Decimal): string {
  const places = Math.max(one.places, other.places, 0)
  const [a, b] = [one, other].map((amount) => amount.digits * 10n ** BigInt(places - amount.places)) as [bigint, bigint]
  const text = String(a + b).padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}
