import { useMutation, useQueryClient } from '@tanstack/react-query'
import { projectMutation, refreshProjects } from '#data/projects.ts'
import { formatCount } from '#lib/format/format.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { toast } from '#ui/toast.tsx'
import type { ProjectRow } from './-use-projects.tsx'

const MAX_NAMES = 8

/** Asks before several projects go, and names those that could not. */
export function DeleteManyDialog({ rows, onClose }: { rows: readonly ProjectRow[]; onClose: () => void }) {
  const queryClient = useQueryClient()
  const remove = useMutation({ ...projectMutation.deleteMany(), onSettled: () => refreshProjects(queryClient) })
  const traces = rows.reduce((sum, row) => sum + (row.stats?.run_count ?? 0), 0)
  function confirm() {
    remove.mutate(
      rows.map((row) => row.project.id),
      {
        onSuccess: (failed) => {
          onClose()
          const gone = rows.length - failed.length
          if (gone > 0) toast.done(`Deleted ${formatCount(gone)} projects`)
          for (const { id, cause } of failed) {
            toast.failure(`${rows.find((row) => row.project.id === id)!.project.name} could not be deleted.`, cause)
          }
        },
      },
    )
  }
  return (
    <ConfirmDialog
      title={`Delete ${formatCount(rows.length)} projects?`}
      action="Delete projects"
      typed={String(rows.length)}
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={confirm}
    >
      <p>
        All their traces, runs and feedback go with them, {formatCount(traces)} traces of the window shown among them.
        This cannot be undone.
      </p>
      <ul className="mt-2 list-inside list-disc text-row">
        {rows.slice(0, MAX_NAMES).map((row) => (
          <li key={row.project.id} className="truncate">
            {row.project.name}
          </li>
        ))}
      </ul>
      {rows.length > MAX_NAMES && <p className="text-row text-fg-muted">and {formatCount(rows.length - MAX_NAMES)} more</p>}
    </ConfirmDialog>
  )
}
