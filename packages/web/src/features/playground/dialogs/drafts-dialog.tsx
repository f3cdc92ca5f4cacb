import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PlaygroundDraft } from '@touchstone/sdk'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { ConfirmDialog, Dialog } from '#ui/dialog.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { draftMutation, draftQuery } from '../queries.ts'

interface DraftsDialogProps {
  mayWrite: boolean
  /** Called with the id of a draft before it is deleted. */
  onDelete: (id: string) => void
  /** Called with the id of a draft that is gone. */
  onDeleted: (id: string) => void
  onClose: () => void
}

/** All drafts of the workspace, to open or delete one. */
export function DraftsDialog({ mayWrite, onDelete, onDeleted, onClose }: DraftsDialogProps) {
  const list = useInfiniteQuery(draftQuery.pages())
  const [asked, setAsked] = useState<PlaygroundDraft>()
  const remove = useMutation(draftMutation.delete(useQueryClient()))
  const drafts = list.data?.pages.flatMap((page) => page.drafts) ?? []
  const total = list.data?.pages[0]?.total ?? 0
  function submit({ id, name }: PlaygroundDraft) {
    onDelete(id)
    remove.mutate(id, {
      onSuccess: () => {
        toast.done(`Deleted the draft ${name}`)
        onDeleted(id)
      },
      onError: (cause) => toast.failure(`Could not delete the draft ${name}`, cause),
      onSettled: () => setAsked(undefined),
    })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Drafts"
      description="All members of the workspace see them."
      width="max-w-xl"
    >
      {list.error !== null && (
        <ErrorState compact title="Could not load the drafts" error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <SkeletonRows rows={6} label="Loading the drafts" />}
      {list.isSuccess && drafts.length === 0 && (
        <p className="text-row text-fg-muted">None yet. What is written in the playground is saved by itself.</p>
      )}
      <ul aria-label="Drafts" className="divide-y divide-border empty:hidden">
        {drafts.map((draft) => (
          <li key={draft.id} className="flex min-w-0 items-center gap-3 py-1 text-row">
            <Link
              to="."
              search={{ draft: draft.id }}
              onClick={onClose}
              title={draft.name}
              className="min-w-0 flex-1 truncate font-medium hover:underline"
            >
              {draft.name}
            </Link>
            <span className="shrink-0 text-meta text-fg-muted" title={formatAbsoluteTime(draft.updated_at)}>
              {[formatRelativeTime(draft.updated_at), draft.updated_by_name?.slice(0, 40)].filter(Boolean).join(', ')}
            </span>
            {mayWrite && (
              <IconButton icon={Trash2} label={`Delete the draft ${draft.name}`} onClick={() => setAsked(draft)} />
            )}
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button className="mt-2" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more ({total - drafts.length} older)
        </Button>
      )}
      {asked && (
        <ConfirmDialog
          title={`Delete the draft ${asked.name}?`}
          action="Delete draft"
          isBusy={remove.isPending}
          onCancel={() => setAsked(undefined)}
          onConfirm={() => submit(asked)}
        >
          Its variants, values and newest answers are removed for all members. Runs, prompts and experiments stay.
        </ConfirmDialog>
      )}
    </Dialog>
  )
}
