import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Deletion, WorkspaceRetention } from '@touchstone/sdk'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { RoleGate } from '#features/accounts/role-gate.tsx'
import { projectQuery } from '#features/projects/queries.ts'
import { formatBytes, formatCount, formatRelativeTime, pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { DeleteUserData } from '../delete-user-data.tsx'
import { retentionMutation, retentionQuery } from '../queries.ts'
import { describeDays, RetentionSection } from '../retention-section.tsx'

const route = getRouteApi('/o/$tenant/settings/retention')

/** Default retention of the workspace, projects that override it, and recent deletions. */
export function RetentionPage() {
  const { tenant } = route.useParams()
  const retention = useQuery(retentionQuery.ofWorkspace())
  return (
    <PageFrame title="Retention">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its fields may all be disabled, and it must scroll by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto p-3 outline-offset-[-2px] sm:p-6">
        {retention.isPending && <SkeletonRows rows={4} label="Loading retention settings" />}
        {retention.isError && (
          <ErrorState
            title="Could not load retention settings"
            error={retention.error}
            onRetry={() => void retention.refetch()}
          />
        )}
        {retention.data && (
          <div className="flex max-w-4xl flex-col gap-4">
            <RoleGate least="admin">
              <WorkspaceDefault days={retention.data.days} />
              <Overrides tenant={tenant} projects={retention.data.projects} />
              <DeleteUserData />
              <Deletions />
            </RoleGate>
          </div>
        )}
      </div>
    </PageFrame>
  )
}

function WorkspaceDefault({ days }: { days: number }) {
  const queryClient = useQueryClient()
  const mayChange = useMay('admin')
  const [chosen, setChosen] = useState<number | null>(days)
  const estimate = useQuery({ ...retentionQuery.estimate(chosen ?? 0), enabled: Number.isInteger(chosen) })
  const save = useMutation(retentionMutation.setWorkspace(queryClient))
  return (
    <RetentionSection
      title="Workspace default"
      description="Applies to projects without their own setting. Traces are deleted once their latest run passes this age. Shared traces, traces in annotation queues, and experiments are kept."
      saved={days}
      chosen={chosen}
      onChoose={setChosen}
      estimate={estimate.data}
      estimateError={estimate.error}
      isSaving={save.isPending}
      error={save.error}
      lockedBecause={mayChange ? undefined : 'Only admins can change retention.'}
      onSave={() =>
        save.mutate(chosen ?? 0, {
          onSuccess: (saved) =>
            toast.done(`Traces are kept ${saved.days === 0 ? '' : 'for '}${describeDays(saved.days)}`),
        })
      }
    />
  )
}

function Deletions() {
  const deletions = useQuery(retentionQuery.deletions())
  if (deletions.isPending) return <SkeletonRows rows={3} label="Loading deletions" />
  if (deletions.isError) {
    const retry = () => void deletions.refetch()
    return <ErrorState title="Could not load deletions" error={deletions.error} onRetry={retry} />
  }
  return <DeletionList deletions={deletions.data.deletions} total={deletions.data.total} />
}

function Overrides({ tenant, projects }: { tenant: string; projects: WorkspaceRetention['projects'] }) {
  const names = useInfiniteQuery(projectQuery.names({ experiments: true }))
  const nameOf = (id: string) => names.data?.pages.flat().find((project) => project.id === id)?.name ?? id
  return (
    <section aria-labelledby="exceptions" className="rounded-card border border-border bg-surface">
      <h2 id="exceptions" className="px-4 pt-3 text-form font-semibold">
        Overrides
      </h2>
      {projects.length === 0 ? (
        <p className="px-4 pb-3 text-row text-fg-muted">
          No project overrides the default. Set a project’s retention on its settings page.
        </p>
      ) : (
        <ul className="mt-2 border-t border-border text-row">
          {projects.map(({ session_id, days }) => (
            <li
              key={session_id}
              className="flex min-h-9 items-center gap-4 border-b border-border px-4 py-1 last:border-b-0"
            >
              <Link
                to="/o/$tenant/projects/p/$projectId/settings"
                params={{ tenant, projectId: session_id }}
                className="min-w-0 flex-1 truncate font-medium hover:underline"
              >
                {nameOf(session_id)}
              </Link>
              <span>{describeDays(days)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Deletions, newest first, with counts per store and the result of the verification. */
function DeletionList({ deletions, total }: { deletions: readonly Deletion[]; total: number }) {
  return (
    <section aria-labelledby="deletions" className="rounded-card border border-border bg-surface">
      <h2 id="deletions" className="px-4 pt-3 text-form font-semibold">
        Recent deletions
      </h2>
      {deletions.length === 0 ? (
        <p className="px-4 pb-3 text-row text-fg-muted">No deletions in the last 400 days.</p>
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
    countRemoved(analytics.runs, 'run'),
    countRemoved(analytics.feedback, 'feedback record'),
    countRemoved(relational.examples, 'example version'),
    analytics.attachments > 0 &&
      `${pluralize(analytics.attachments, 'attachment')} (${formatBytes(analytics.attachment_bytes)})`,
    countRemoved(relational.queue_items, 'queue item'),
    countRemoved(relational.shares, 'public link'),
    blobs.removed > 0 && `${pluralize(blobs.removed, 'file')} removed from disk (${formatBytes(blobs.removed_bytes)})`,
    blobs.kept > 0 && `${pluralize(blobs.kept, 'file')} kept because they are used elsewhere`,
    blobs.waiting > 0 && `${pluralize(blobs.waiting, 'file')} waiting for removal`,
  ].filter(Boolean)
  return parts.length === 0 ? 'No rows' : parts.join(' · ')
}

function describeState({ status, error, remaining, erased_at }: Deletion): string {
  if (status === 'running') return 'In progress'
  if (status === 'failed') return error ?? 'Failed. Repeat the deletion to finish it.'
  const verified =
    remaining === 0 ? 'Verified: no rows left' : `Verification found ${pluralize(remaining ?? 0, 'remaining row')}`
  return `${verified}. ${erased_at ? 'The text is removed from the database files' : 'The text is hidden and will be removed from the database files at the next rewrite'}.`
}

/** Nothing for zero. */
function countRemoved(n: number, noun: string): string {
  return n > 0 ? pluralize(n, noun) : ''
}
