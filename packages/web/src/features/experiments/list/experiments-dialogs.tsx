import { useMutation, useQueryClient } from '@tanstack/react-query'
import { AddToQueueDialog } from '#features/annotation-queues/add-to-queue-dialog.tsx'
import { projectMutation, readProjectName } from '#features/projects/queries.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { RenameDialog } from '#ui/rename-dialog.tsx'
import { toast } from '#ui/toast.tsx'
import type { ExperimentRow } from '../experiment-row.ts'
import { refreshExperiments } from '../queries.ts'
import type { ExperimentDialog } from './experiments-controller.ts'

interface ExperimentDialogsProps {
  dialog: ExperimentDialog
  /** Id of the pinned baseline. */
  baselineId: string | undefined
  onClose: () => void
}

/** Renders the open dialog. */
export function ExperimentDialogs({ dialog, baselineId, onClose }: ExperimentDialogsProps) {
  if (dialog.kind === 'rename') return <RenameExperimentDialog row={dialog.row} onClose={onClose} />
  if (dialog.kind === 'delete') return <DeleteDialog rows={dialog.rows} baselineId={baselineId} onClose={onClose} />
  const experimentIds = dialog.rows.map(({ id }) => id)
  return <AddToQueueDialog what={{ experimentIds, runCount: countRuns(dialog.rows) }} onClose={onClose} />
}

function RenameExperimentDialog({ row, onClose }: { row: ExperimentRow; onClose: () => void }) {
  const queryClient = useQueryClient()
  const rename = useMutation({ ...projectMutation.rename(), onSuccess: () => refreshExperiments(queryClient) })
  return (
    <RenameDialog
      noun="experiment"
      name={row.name}
      read={() => readProjectName(row.id)}
      save={async (name, expected) => {
        await rename.mutateAsync({ id: row.id, name, expected })
        toast.done(`Renamed to ${name}`)
      }}
      onClose={onClose}
    />
  )
}

const MAX_NAMES = 8

interface DeleteDialogProps {
  rows: readonly ExperimentRow[]
  baselineId: string | undefined
  onClose: () => void
}

/** Confirms deleting experiments, and reports each one that could not be deleted. */
function DeleteDialog({ rows, baselineId, onClose }: DeleteDialogProps) {
  const queryClient = useQueryClient()
  const remove = useMutation({ ...projectMutation.deleteMany(), onSettled: () => refreshExperiments(queryClient) })
  const [first] = rows
  const what = rows.length === 1 && first !== undefined ? first.name : pluralize(rows.length, 'experiment')
  function confirm() {
    remove.mutate(
      rows.map(({ id }) => id),
      {
        onSuccess: (failed) => {
          onClose()
          if (failed.length === 0) toast.done(`Deleted ${what}`)
          else if (failed.length < rows.length)
            toast.done(`Deleted ${pluralize(rows.length - failed.length, 'experiment')}`)
          for (const { id, cause } of failed) {
            toast.failure(`Could not delete ${rows.find((row) => row.id === id)?.name ?? id}`, cause)
          }
        },
      },
    )
  }
  return (
    <ConfirmDialog
      title={`Delete ${what}?`}
      action={rows.length === 1 ? 'Delete experiment' : 'Delete experiments'}
      typed={rows.length === 1 && first !== undefined ? first.name : String(rows.length)}
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={confirm}
    >
      <p>
        This deletes {pluralize(countRuns(rows), 'trace')} with all runs and scores. The examples of the dataset stay.
        This cannot be undone.
      </p>
      {rows.some(({ id }) => id === baselineId) && (
        <p className="mt-2">The baseline is among them. Afterwards, the dataset has no baseline.</p>
      )}
      {rows.length > 1 && (
        <ul className="mt-2 list-inside list-disc text-row">
          {rows.slice(0, MAX_NAMES).map(({ id, name }) => (
            <li key={id} className="truncate">
              {name}
            </li>
          ))}
        </ul>
      )}
      {rows.length > MAX_NAMES && (
        <p className="text-row text-fg-muted">and {formatCount(rows.length - MAX_NAMES)} more</p>
      )}
    </ConfirmDialog>
  )
}

function countRuns(rows: readonly ExperimentRow[]): number {
  return rows.reduce((sum, { figures }) => sum + figures.runCount, 0)
}
