import { type Fragment, literal, sql } from '../../../storage/analytics/sql.ts'
import { USAGE, USAGE_DETAILS } from './matched-runs.ts'

/** Aggregates over a relation of matched runs; 64-bit numbers and decimals are text. Quantiles of nothing are []. */
export type FigureRow = {
  readonly run_count: string
  readonly error_count: string
  readonly streamed_count: string
  readonly last_began: string | null
  /** Microseconds: 0.5, 0.99 and the mean. */
  readonly latency: readonly (number | string)[]
  readonly latency_mean: number | null
  readonly first_token_latency: readonly (number | string)[]
} & { readonly [Column in (typeof USAGE)[number] as `sum_${Column}`]: string | null } & {
  readonly [Column in (typeof USAGE)[number] as `quantiles_${Column}`]: readonly (number | string)[]
} & { readonly [Column in (typeof USAGE_DETAILS)[number] as `sum_${Column}`]?: Readonly<Record<string, string>> }

/** The select list that makes a `FigureRow`. */
export function figureColumns(details: boolean): Fragment {
  const sums = [
    ...USAGE.map((column) => `sum(used_${column}) as sum_${column}`),
    ...USAGE.map((column) => `${quantiles(`used_${column}`)} as quantiles_${column}`),
    ...(details ? USAGE_DETAILS.map((column) => `sumMap(used_${column}) as sum_${column}`) : []),
  ]
  return sql`count() as run_count,
      countIf(outcome = 'error') as error_count,
      count(first_token) as streamed_count,
      max(began) as last_began,
      ${literal(quantiles(micros('ended')))} as latency,
      ${literal(`if(count(ended) = 0, null, avg(${micros('ended')}))`)} as latency_mean,
      ${literal(quantiles(micros('first_token')))} as first_token_latency,
      ${literal(sums.join(',\n      '))}`
}

const micros = (end: string) => `dateDiff('microsecond', began, ${end})`

function quantiles(value: string): string {
  const known = `isNotNull(${value})`
  return `if(countIf(${known}) = 0, [], quantilesExactIf(0.5, 0.99)(assumeNotNull(${value}), ${known}))`
}
