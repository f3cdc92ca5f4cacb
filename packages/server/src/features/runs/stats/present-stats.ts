import type { RunStats } from '@touchstone/contract'
import { printedTime } from '../../../storage/analytics/sql.ts'
import type { FigureRow } from './figures.ts'

/** Figures on the wire, without those that other rooms and queries supply. */
export function presentFigures(row: FigureRow): RunStats {
  const runs = Number(row.run_count)
  const rate = (count: string) => (runs === 0 ? null : Number(count) / runs)
  return {
    run_count: runs,
    latency_p50: seconds(row.latency[0]),
    latency_p99: seconds(row.latency[1]),
    latency_avg: seconds(row.latency_mean),
    first_token_p50: seconds(row.first_token_latency[0]),
    first_token_p99: seconds(row.first_token_latency[1]),
    total_tokens: Number(row.sum_total_tokens ?? 0),
    prompt_tokens: Number(row.sum_prompt_tokens ?? 0),
    completion_tokens: Number(row.sum_completion_tokens ?? 0),
    median_tokens: number(row.quantiles_total_tokens[0]),
    tokens_p99: number(row.quantiles_total_tokens[1]),
    prompt_tokens_p50: number(row.quantiles_prompt_tokens[0]),
    prompt_tokens_p99: number(row.quantiles_prompt_tokens[1]),
    completion_tokens_p50: number(row.quantiles_completion_tokens[0]),
    completion_tokens_p99: number(row.quantiles_completion_tokens[1]),
    last_run_start_time: runs === 0 || row.last_began === null ? null : printedTime(row.last_began),
    error_rate: rate(row.error_count),
    streaming_rate: rate(row.streamed_count),
    total_cost: number(row.sum_total_cost),
    prompt_cost: number(row.sum_prompt_cost),
    completion_cost: number(row.sum_completion_cost),
    cost_p50: number(row.quantiles_total_cost[0]),
    cost_p99: number(row.quantiles_total_cost[1]),
    prompt_token_details: numbers(row.sum_prompt_token_details),
    completion_token_details: numbers(row.sum_completion_token_details),
    prompt_cost_details: numbers(row.sum_prompt_cost_details),
    completion_cost_details: numbers(row.sum_completion_cost_details),
  }
}

export function number(value: string | number | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

export function seconds(micros: string | number | null | undefined): number | null {
  return micros === null || micros === undefined ? null : Number(micros) / 1e6
}

function numbers(map: Readonly<Record<string, string>> | undefined): Record<string, number> | null {
  if (map === undefined) return null
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, Number(value)]))
}
