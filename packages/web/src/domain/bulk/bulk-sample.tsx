import type { BulkCount } from '@touchstone/sdk'
import { StatusMark } from '#domain/status-mark.tsx'
import { formatAbsoluteTime, formatCount } from '#lib/format/format.ts'

/** The newest of the runs that were counted, so that nobody acts on what they did not mean. */
export function BulkSample({ counted }: { counted: BulkCount | undefined }) {
  if (counted === undefined) {
    return <p className="text-row text-fg-muted">The server is counting…</p>
  }
  const { runs, sample } = counted
  if (runs === 0) return <p className="text-row text-fg-muted">There are none, as of now.</p>
  return (
    <section aria-label="Sample" className="flex flex-col gap-1">
      <p className="text-row text-fg-muted">
        {sample.length < runs ? `The newest ${sample.length} of ${formatCount(runs)}:` : 'These:'}
      </p>
      <ul className="divide-y divide-border overflow-hidden rounded-card border border-border">
        {sample.map((run) => (
          <li key={run.id} className="flex items-baseline gap-2 px-2 py-1 text-row">
            <StatusMark status={run.status} start_time={run.start_time} />
            <span className="max-w-[30%] shrink-0 truncate font-medium">{run.name}</span>
            <span className="min-w-0 flex-1 truncate text-fg-muted">{run.inputs_preview}</span>
            <time dateTime={run.start_time} className="shrink-0 text-meta text-fg-muted tabular-nums">
              {formatAbsoluteTime(run.start_time)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}
