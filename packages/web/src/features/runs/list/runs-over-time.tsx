import type { UseQueryResult } from '@tanstack/react-query'
import { describeFailure } from '#lib/errors.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { Histogram } from '#ui/histogram.tsx'
import type { RunsOverTime as Figures } from '../stats-queries.ts'

export interface RunsOverTimeProps {
  label: string
  figures: UseQueryResult<Figures>
  /** Called with the time range that the user drew, as in the URL. */
  onRange: (t: string) => void
}

/** The listed runs and their errors over time. Drawing across the chart narrows the time range. */
export function RunsOverTime({ label, figures: { data, error, isPlaceholderData }, onRange }: RunsOverTimeProps) {
  return (
    <div
      className="flex h-11 shrink-0 items-end border-b border-border bg-surface px-3 data-stale:opacity-60"
      data-stale={isPlaceholderData || undefined}
    >
      {data && !error ? (
        <Histogram
          label={label}
          bars={data.buckets.map(({ time, success, error: failed, pending, interrupted }) => ({
            atMs: Date.parse(time),
            ok: success + interrupted,
            failed,
            running: pending,
          }))}
          bucketMs={data.bucketMs}
          fromMs={data.fromMs}
          toMs={data.toMs}
          // Both ends of a range are inclusive.
          onBrush={(from, to) => onRange(printTimeRange(toIso(from), toIso(to - 1)))}
        />
      ) : (
        error && (
          <p role="alert" className="self-center truncate text-meta text-fg-muted">
            Could not load counts over time: {describeFailure(error).message}
          </p>
        )
      )}
    </div>
  )
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
