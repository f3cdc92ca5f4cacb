import type { RetentionEstimate } from '@touchstone/sdk'
import { formatAbsoluteTime, formatCount } from '#lib/format/format.ts'

/** `forever`, `1 day`, `30 days`. */
export function describeDays(days: number): string {
  if (days === 0) return 'forever'
  return days === 1 ? '1 day' : `${formatCount(days)} days`
}

/** Describes the traces that a retention setting deletes, in a sentence. */
export function describeEstimate(estimate: RetentionEstimate): string {
  if (estimate.removes_before === null) return 'No traces will be deleted.'
  const day = formatAbsoluteTime(estimate.removes_before).replace(/ \d\d:.*$/, '')
  const kept =
    estimate.kept_trace_count === 0
      ? ''
      : ` ${pluralize(estimate.kept_trace_count, 'older trace')} will be kept because they are shared or in an annotation queue.`
  if (estimate.trace_count === 0) return `No traces will be deleted: none ended before ${day}.${kept}`
  const where = estimate.project_count > 1 ? ` in ${formatCount(estimate.project_count)} projects` : ''
  return `Deletes ${describeCounts(estimate)}${where} older than ${day}.${kept}`
}

/** `12 traces (36 runs)`. */
export function describeCounts({ trace_count, run_count }: RetentionEstimate): string {
  return `${pluralize(trace_count, 'trace')} (${pluralize(run_count, 'run')})`
}

function pluralize(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
