/** How a project did in one stretch of time. Latency in seconds, cost in US dollars; unknown is undefined. */
export interface Health {
  runs: number
  /** 0 to 1; undefined without runs. */
  errorRate: number | undefined
  latencyP99: number | undefined
  cost: number | undefined
}

/** Under so many traces a rate or a percentile says little, and moves nothing to the top. */
const ENOUGH = 5

/**
 * How much worse a project got: what it is sorted by, the worst first. A percentage point of errors counts as much as a
 * tenth more latency; falling silent counts as half of all runs failing; more runs than before are not worse.
 *
 * @returns 0 when nothing got worse
 */
export function worsening(now: Health, before: Health): number {
  if (now.runs < ENOUGH) return before.runs >= 4 * ENOUGH && now.runs === 0 ? 5 : 0
  const errors = Math.max((now.errorRate ?? 0) - (before.errorRate ?? 0), 0) * 10
  if (before.runs < ENOUGH) return errors
  const slower = Math.max((now.latencyP99 ?? 0) / (before.latencyP99 || Number.POSITIVE_INFINITY) - 1, 0)
  return errors + Math.min(slower, 10)
}

/** The sign and size of a change, as it stands in brackets behind a figure; undefined where one side is unknown. */
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
