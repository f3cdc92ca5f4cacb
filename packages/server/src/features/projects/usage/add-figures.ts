import type { UsageFigures } from '@touchstone/contract'

/** Sums of integers as the engine prints them; the cost is a decimal, null where no run knows one. */
export interface FigureRow {
  readonly trace_count?: string
  readonly run_count?: string
  readonly payload_bytes?: string
  readonly prompt_tokens?: string | null
  readonly completion_tokens?: string | null
  readonly total_tokens?: string | null
  readonly total_cost?: string | null
}

const DECIMALS = 18
const ONE = 10n ** BigInt(DECIMALS)

/** Adds rows up; dollars exactly. */
export function addFigures(rows: readonly FigureRow[]): UsageFigures {
  const sum = (field: Exclude<keyof FigureRow, 'total_cost'>) =>
    rows.reduce((total, row) => total + Number(row[field] ?? 0), 0)
  const costs = rows.map((row) => row.total_cost).filter((cost) => cost != null)
  return {
    trace_count: sum('trace_count'),
    run_count: sum('run_count'),
    payload_bytes: sum('payload_bytes'),
    prompt_tokens: sum('prompt_tokens'),
    completion_tokens: sum('completion_tokens'),
    total_tokens: sum('total_tokens'),
    total_cost: costs.length === 0 ? null : printed(costs.reduce((total, cost) => total + unitsOf(cost), 0n)),
  }
}

function unitsOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS))
}

function printed(units: bigint): string {
  const fraction = (units % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '')
  return fraction === '' ? String(units / ONE) : `${units / ONE}.${fraction}`
}
