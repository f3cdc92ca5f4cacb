import type { Deletion } from '@touchstone/sdk'
import { formatBytes, formatCount, formatRelativeTime } from '#lib/format/format.ts'

/** Deletions, newest first, with counts per store and the result of the verification. */
export function DeletionList({ deletions, total }: { deletions: readonly Deletion[]; total: number }) {
  return (
    <section aria-labelledby="deletions" className="rounded-card border border-border bg-surface">
      <h2 id="deletions" className="px-4 pt-3 text-form font-semibold">
        Recent deletions
      </h2>
      {deletions.length === 0 ? (
        <p className="px-4 pb-3 text-row text-fg-muted">No deletions in the last 400 days</p>
      ) : (
        <ul className="mt-2 border-t border-border text-row">
          {deletions.map((deletion) => (
            <li key={deletion.id} className="border-b border-border px-4 py-2 last:border-b-0">
              <div className="flex flex-wrap items-baseline gap-x-3">
                <span className="min-w-0 flex-1 truncate font-medium" title={deletion.subject}>
                  {deletion.subject}
                </span>
                <span className="text-meta text-fg-subtle" title={deletion.created_at}>
                  {deletion.requested_by && `${deletion.requested_by}, `}
                  {formatRelativeTime(deletion.created_at)}
                </span>
              </div>
              <p className="text-meta text-fg-muted">{describeRemoved(deletion)}</p>
              <p className="text-meta text-fg-muted">{describeState(deletion)}</p>
            </li>
          ))}
        </ul>
      )}
      {total > deletions.length && (
        <p className="px-4 py-2 text-meta text-fg-subtle">
          Latest {formatCount(deletions.length)} of {formatCount(total)}
        </p>
      )}
    </section>
  )
}

/** Describes the deleted rows by kind, without zeros. */
function describeRemoved({ analytics, relational, blobs }: Deletion): string {
  const parts = [
    plural(analytics.runs, 'run'),
    plural(analytics.feedback, 'feedback record'),
    plural(relational.examples, 'example version'),
    analytics.attachments > 0 &&
      `${plural(analytics.attachments, 'attachment')} (${formatBytes(analytics.attachment_bytes)})`,
    plural(relational.queue_items, 'queue item'),
    plural(relational.shares, 'public link'),
    blobs.removed > 0 && `${plural(blobs.removed, 'file')} removed from disk (${formatBytes(blobs.removed_bytes)})`,
    blobs.kept > 0 && `${plural(blobs.kept, 'file')} kept because they are used elsewhere`,
    blobs.waiting > 0 && `${plural(blobs.waiting, 'file')} waiting for removal`,
  ].filter(Boolean)
  return parts.length === 0 ? 'No rows' : parts.join(' · ')
}

function describeState({ status, error, remaining, erased_at }: Deletion): string {
  if (status === 'running') return 'In progress'
  if (status === 'failed') return error ?? 'Failed. Repeat the deletion to finish it.'
  const verified = remaining === 0 ? 'Verified: no rows left' : `Verification found ${remaining} remaining rows`
  return `${verified}. ${erased_at ? 'The text is removed from the database files' : 'The text is hidden and will be removed from the database files at the next rewrite'}.`
}

function plural(n: number, noun: string): string {
  return n > 0 ? `${formatCount(n)} ${noun}${n === 1 ? '' : 's'}` : ''
}
