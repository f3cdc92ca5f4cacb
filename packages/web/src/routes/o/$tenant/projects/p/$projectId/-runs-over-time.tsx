import type { UseQueryResult } from '@tanstack/react-query'
import type { RunsOverTime as Figures } from '#data/run-figures.ts'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { Histogram } from '#ui/histogram.tsx'

export interface RunsOverTimeProps {
  label: string
  figures: UseQueryResult<Figures>
  /** The URL's form of the span that was drawn. */
  onRange: (t: string) => void
}

/** The listed runs over time: where they gather, where they fail; drawing across it narrows the time. */
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
          // Both ends of a range belong to it.
          onBrush={(from, to) => onRange(printTimeRange(isoOf(from), isoOf(to - 1)))}
        />
      ) : (
        error && (
          <p role="alert" className="self-center truncate text-meta text-fg-muted">
            Counts over time could not be read: {describeFailure(error).message}
          </p>
        )
      )}
    </div>
  )
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
