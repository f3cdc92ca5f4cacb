/** Statistics of a project in a time range. Latency in seconds, cost in US dollars; undefined if unknown. */
export interface Health {
  runs: number
  /** 0 to 1; undefined without runs. */
  errorRate: number | undefined
  latencyP99: number | undefined
  cost: number | undefined
}

/** With fewer runs a rate or a percentile is not meaningful and does not affect the order. */
const MIN_RUNS = 5

/**
 * How much worse a project got, for sorting. One percentage point of errors counts as much as 10 % more latency; having no
 * runs any more counts as half of all runs failing; more runs than before are not worse.
 *
 * @returns 0 if nothing got worse
 */
export function worsening(now: Health, before: Health): number {
  if (now.runs < MIN_RUNS) return before.runs >= 4 * MIN_RUNS && now.runs === 0 ? 5 : 0
  const errors = Math.max((now.errorRate ?? 0) - (before.errorRate ?? 0), 0) * 10
  if (before.runs < MIN_RUNS) return errors
  const slower = Math.max((now.latencyP99 ?? 0) / (before.latencyP99 || Number.POSITIVE_INFINITY) - 1, 0)
  return errors + Math.min(slower, 10)
}

/** A change with its sign, for example `+1.2 s`; undefined if one side is unknown. */
export function formatChange(
  now: number | undefined,
  before: number | undefined,
  print: (size: number) => string,
): { text: string; direction: 'up' | 'down' | 'same' } | undefined {
  if (now === undefined || before === undefined) return undefined
  const size = print(Math.abs(now - before))
  if (size === print(0)) return { text: '±0', direction: 'same' }
  return now > before ? { text: `+${size}`, direction: 'up' } : { text: `−${size}`, direction: 'down' }
}
