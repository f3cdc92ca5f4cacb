import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MessageSquarePlus, Plus } from 'lucide-react'
import { useState } from 'react'
import { formatCount, pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { ConfigDialog, type ConfigDialogProps } from './config-dialog.tsx'
import { newConfigDraft, toConfigDraft } from './config-draft.ts'
import { buildKeyRows, type KeyRow, KeyTable } from './key-table.tsx'
import { feedbackConfigMutation, feedbackConfigQuery, feedbackKeyQuery } from './queries.ts'

/** Configurations of the feedback keys, and keys in use without one. */
export function FeedbackPage() {
  const configs = useQuery(feedbackConfigQuery.list())
  const usage = useQuery(feedbackKeyQuery.usage())
  const queryClient = useQueryClient()
  const remove = useMutation(feedbackConfigMutation.delete(queryClient))
  const [editing, setEditing] = useState<Omit<ConfigDialogProps, 'onClose'>>()
  const [deleting, setDeleting] = useState<KeyRow>()
  const rows = buildKeyRows(configs.data ?? [], usage.data?.keys ?? [])
  const create = () => setEditing({ start: newConfigDraft() })

  function confirmDelete(row: KeyRow) {
    remove.mutate(row.key, {
      onSuccess: () => toast.done(`Deleted the definition of ${row.key}`),
      onError: (cause) => toast.failure(`Could not delete the definition of ${row.key}`, cause),
      onSettled: () => setDeleting(undefined),
    })
  }

  return (
    <PageFrame
      title="Feedback"
      actions={
        <Button look="primary" onClick={create}>
          <Plus size={13} aria-hidden />
          New feedback key
        </Button>
      }
      status={
        configs.data && (
          <span>
            {pluralize(configs.data.length, 'defined key')}
            {usage.data?.has_more && '; not all undefined keys are listed'}
          </span>
        )
      }
    >
      <div className="min-h-0 flex-1 overflow-auto">
        {usage.isError && (
          <ErrorState
            compact
            title="Could not load usage counts"
            error={usage.error}
            onRetry={() => void usage.refetch()}
          />
        )}
        {configs.isPending && <SkeletonRows rows={6} label="Loading feedback keys" />}
        {configs.isError && (
          <ErrorState
            title="Could not load feedback keys"
            error={configs.error}
            onRetry={() => void configs.refetch()}
          />
        )}
        {configs.data && !usage.isPending && rows.length === 0 && (
          <EmptyState
            icon={MessageSquarePlus}
            title="No feedback yet"
            actions={
              <Button look="primary" onClick={create}>
                Define a key
              </Button>
            }
          >
            Define how a feedback key is scored: with a range or with labels. Keys without a definition appear here too.
          </EmptyState>
        )}
        {configs.data && rows.length > 0 && (
          <KeyTable
            rows={rows}
            onEdit={(row) =>
              setEditing(
                row.config
                  ? { start: toConfigDraft(row.config), known: row.config }
                  : { start: newConfigDraft(row.key) },
              )
            }
            onDelete={setDeleting}
          />
        )}
      </div>
      {editing && <ConfigDialog {...editing} onClose={() => setEditing(undefined)} />}
      {deleting && (
        <ConfirmDialog
          title={`Delete the definition of ${deleting.key}?`}
          action="Delete definition"
          isBusy={remove.isPending}
          onCancel={() => setDeleting(undefined)}
          onConfirm={() => confirmDelete(deleting)}
        >
          {deleting.count === 0
            ? 'No feedback uses this key.'
            : `The ${formatCount(deleting.count)} scores with this key are kept and shown as plain numbers and labels.`}
        </ConfirmDialog>
      )}
    </PageFrame>
  )
}
