import { BUDGET_STEPS, type Budget, type BudgetSpend, timeOfEpochMs } from '@touchstone/contract'
import type { BudgetRow } from '../../storage/relational/tables/alerts.ts'
import type { Notice } from '../notifications/index.ts'
import type { Span } from './period.ts'

/** What was notified of a period. */
export interface Notified {
  readonly period_start?: string
  readonly steps?: readonly number[]
  readonly is_forecast_sent?: boolean
}

export interface MeasuredBudget {
  readonly current: NonNullable<Budget['current']>
  readonly notified: Notified
  readonly notices: readonly Notice[]
}

/** A forecast needs this share of the period. */
const MIN_ELAPSED = 0.1

/** What a budget shows and tells after its spend was read. It depends on its arguments alone. */
export function measureBudget(row: BudgetRow, spend: BudgetSpend, span: Span, nowMs: number): MeasuredBudget {
  const before = JSON.parse(row.notified) as Notified
  const isSame = before.period_start === spend.period_start
  const notified = isSame ? before : {}
  const elapsed = (nowMs - span.from) / (span.to - span.from)
  const forecast = elapsed < MIN_ELAPSED ? null : spend.spent_usd / elapsed
  const share = (100 * spend.spent_usd) / row.amount_usd
  const known = notified.steps ?? []
  const reached = BUDGET_STEPS.filter((one) => share >= one && !known.includes(one))
  const step = reached.at(-1)
  const isForecast = notified.is_forecast_sent !== true && share < 100 && forecast !== null && forecast > row.amount_usd
  const summary = describe(row, spend, forecast)
  const make = (what: string, title: string, severity: Notice['severity']): Notice => ({
    ...toNotice(row, spend, { nowMs, what }),
    severity,
    title: `${row.name}: ${title}`,
    text: `${summary} Runs are accepted as before.`,
    facts: toFacts(row, spend, forecast),
  })
  const notices: Notice[] = []
  if (!isSame && before.period_start !== undefined && ((before.steps ?? []).length > 0 || before.is_forecast_sent)) {
    const ended = row.current_spend === null ? undefined : (JSON.parse(row.current_spend) as BudgetSpend)
    const last = ended?.period_start === before.period_start ? ended : { ...spend, period_start: before.period_start }
    notices.push(toEnd(row, last, nowMs))
  }
  if (step !== undefined) {
    const severity = step >= 100 ? 'critical' : step >= 80 ? 'warning' : 'info'
    notices.push(make(`${step} %`, `${Math.floor(share)} % of ${usd(row.amount_usd)} is spent`, severity))
  }
  if (isForecast) notices.push(make('forecast', `it leads to ${usd(forecast)} of ${usd(row.amount_usd)}`, 'warning'))
  const after = {
    period_start: spend.period_start,
    steps: [...known, ...reached],
    is_forecast_sent: notified.is_forecast_sent === true || isForecast,
  }
  return {
    current: {
      ...spend,
      forecast_usd: forecast,
      steps: after.steps,
      is_forecast_sent: after.is_forecast_sent,
      summary,
      measured_at: timeOfEpochMs(nowMs),
    },
    notified: after,
    notices,
  }
}

interface Context {
  readonly nowMs: number
  readonly what: string
}

function toNotice(row: BudgetRow, spend: BudgetSpend, { nowMs, what }: Context): Notice {
  return {
    causeKind: 'budget',
    causeId: row.id,
    // After a change that begins again, its steps are notified again.
    key: `budget ${row.id} ${spend.period_start} ${row.modified_at} ${what}`,
    incident: `touchstone:budget:${row.id}:${spend.period_start}`,
    severity: 'info',
    isResolved: false,
    title: row.name,
    text: '',
    facts: [],
    links: [],
    body: {
      budget_id: row.id,
      budget_name: row.name,
      amount_usd: row.amount_usd,
      spent_usd: spend.spent_usd,
      unpriced_calls: spend.unpriced_calls,
      period: row.period,
      period_start: spend.period_start,
      reached: what,
    },
    at: timeOfEpochMs(nowMs),
  }
}

/** Closes the incidents of the period before. */
function toEnd(row: BudgetRow, spend: BudgetSpend, nowMs: number): Notice {
  return {
    ...toNotice(row, spend, { nowMs, what: 'end' }),
    isResolved: true,
    title: `${row.name}: a new ${row.period} began`,
    text: `The ${row.period} from ${spend.period_start.slice(0, 10)} is over, and the sum begins at zero.`,
  }
}

const toFacts = (row: BudgetRow, spend: BudgetSpend, forecast: number | null) => [
  { label: 'Spent', value: usd(spend.spent_usd) },
  { label: 'Budget', value: `${usd(row.amount_usd)} per ${row.period}` },
  ...(forecast === null ? [] : [{ label: 'Forecast', value: usd(forecast) }]),
  { label: 'Calls without a price', value: `${spend.unpriced_calls} of ${spend.calls}` },
]

function describe({ amount_usd, period }: BudgetRow, spend: BudgetSpend, forecast: number | null): string {
  const { spent_usd, calls, unpriced_calls } = spend
  const share = Math.floor((100 * spent_usd) / amount_usd)
  const missing =
    unpriced_calls === 0 ? '' : ` ${unpriced_calls} of ${calls} calls have no price and are not in the sum.`
  const leads = forecast === null ? '' : ` At this pace the ${period} ends at ${usd(forecast)}.`
  return `${usd(spent_usd)} of ${usd(amount_usd)} (${share} %) is spent.${missing}${leads}`
}

function usd(amount: number): string {
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2
  return `$${amount.toFixed(digits)}`
}
