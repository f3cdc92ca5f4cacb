import { createHash } from 'node:crypto'
import { MATCH_PATH_DEFAULT, type ModelPrice } from '@touchstone/contract'

/** US dollars per million tokens, as price lists print them. */
export interface PerMillion {
  readonly input: string
  readonly output: string
  /** Prices of single classes of prompt tokens, e.g. `cache_read`. */
  readonly inputDetails?: Readonly<Record<string, string>>
  readonly outputDetails?: Readonly<Record<string, string>>
  /** First day on which it holds. */
  readonly since?: string
  /** Equals `ls_provider`, where the same model costs differently elsewhere. */
  readonly provider?: string
}

/** Hosts put their own words before the name of a model: `openai/`, `models/`, `us.anthropic.`. */
const ANY_HOST = '^(?:[a-z0-9_-]+[./])*'

/**
 * Prices of one price list.
 *
 * @param source  the list, and when it was read
 * @returns a function from a model's name, its pattern (without the host's prefix) and its price
 */
export function priceList(source: string) {
  return (name: string, pattern: string, price: PerMillion): ModelPrice => {
    const match_pattern = `${ANY_HOST}${pattern}$`
    return {
      id: idOf([match_pattern, price.provider ?? '', price.since ?? '']),
      name,
      match_pattern,
      match_path: MATCH_PATH_DEFAULT,
      provider: price.provider ?? null,
      start_time: price.since === undefined ? null : `${price.since}T00:00:00.000000Z`,
      prompt_cost: perToken(price.input),
      completion_cost: perToken(price.output),
      prompt_cost_details: eachPerToken(price.inputDetails),
      completion_cost_details: eachPerToken(price.outputDetails),
      built_in: true,
      source,
    }
  }
}

/** The same entry has the same id in every installation and version, so that overriding it survives an upgrade. */
function idOf(words: readonly string[]): string {
  const hex = createHash('sha256').update(words.join('\n')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Moves the decimal point six places, exactly: `0.075` per million is `0.000000075` per token. */
export function perToken(perMillion: string): string {
  const [whole = '0', fraction = ''] = perMillion.split('.')
  const digits = whole.padStart(7, '0') + fraction
  const point = digits.length - fraction.length - 6
  const text = `${digits.slice(0, point)}.${digits.slice(point)}`
  return text.replace(/^0+(?=\d)/, '').replace(/\.?0+$/, '')
}

function eachPerToken(prices: Readonly<Record<string, string>> | undefined): Record<string, string> | null {
  return prices ? Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, perToken(price)])) : null
}
