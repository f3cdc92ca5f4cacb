import type { RetentionEstimate } from '@touchstone/sdk'
import { formatAbsoluteTime, formatCount } from '#lib/format/format.ts'

/** `forever`, `1 day`, `30 days`. */
export function describeDays(days: number): string {
  if (days === 0) return 'for ever'
  return days === 1 ? '1 day' : `${formatCount(days)} days`
}

/** Describes the traces that a retention setting deletes, in a sentence. */
export function describeEstimate(estimate: RetentionEstimate): string {
  if (estimate.removes_before === null) return 'Nothing is removed.'
  const day = formatAbsoluteTime(estimate.removes_before).replace(/ \d\d:.*$/, '')
  const kept =
    estimate.kept_trace_count === 0
      ? ''
      : ` ${pluralize(estimate.kept_trace_count, 'older trace')} would stay: shared, or in an annotation queue.`
  if (estimate.trace_count === 0) return `Nothing to remove: no trace ended before ${day}.${kept}`
  const where = estimate.project_count > 1 ? ` in ${formatCount(estimate.project_count)} projects` : ''
  return `Would remove ${describeCounts(estimate)}${where} older than ${day}.${kept}`
}

/** `12 traces (36 runs)`. */
export function describeCounts({ trace_count, run_count }: RetentionEstimate): string {
  return `${pluralize(trace_count, 'trace')} (${pluralize(run_count, 'run')})`
}

function pluralize(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
