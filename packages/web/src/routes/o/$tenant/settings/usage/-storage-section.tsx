import type { StorageReport } from '@touchstone/sdk'
import { formatBytes, formatCount } from '#lib/format/format.ts'

/** Disk usage of the server by store. */
export function StorageSection({ storage }: { storage: StorageReport }) {
  const { disk, relational_bytes, analytics_bytes, blobs } = storage
  const rows: readonly (readonly [string, string])[] = [
    ['Free disk space', `${formatBytes(disk.free_bytes)} of ${formatBytes(disk.total_bytes)}`],
    ['Runs and feedback', sizeOrUnknown(analytics_bytes)],
    ['Datasets, prompts and settings', sizeOrUnknown(relational_bytes)],
    ['Attachments', blobs ? `${formatBytes(blobs.bytes)} in ${formatCount(blobs.count)} files` : 'Not measured yet'],
    ...(blobs && blobs.unreferenced_count > 0
      ? [['Attachments waiting for removal', formatBytes(blobs.unreferenced_bytes)] as const]
      : []),
  ]
  return (
    <section aria-labelledby="storage" className="rounded-card border border-border bg-surface">
      <h2 id="storage" className="px-4 pt-3 text-form font-semibold">
        Server storage
      </h2>
      {disk.is_low && (
        <p role="alert" className="px-4 pt-1 text-row text-err">
          Disk space is low. Ingest stops when less than 128 MiB are free. Delete traces, shorten the retention or
          enlarge the disk.
        </p>
      )}
      <dl className="mt-2 border-t border-border text-row">
        {rows.map(([label, value]) => (
          <div key={label} className="flex min-h-9 items-center gap-4 border-b border-border px-4 py-1 last:border-b-0">
            <dt className="min-w-0 flex-1 text-fg-muted">{label}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function sizeOrUnknown(bytes: number | null): string {
  return bytes === null ? 'Unknown' : formatBytes(bytes)
}
