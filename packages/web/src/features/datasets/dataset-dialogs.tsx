import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Dataset } from '@touchstone/sdk'
import { pluralize } from '#lib/format.ts'
import { DeleteDialog } from '#ui/delete-dialog.tsx'
import { RenameDialog } from '#ui/rename-dialog.tsx'
import { toast } from '#ui/toast.tsx'
import { CreateDatasetDialog, type CreateStart, toNameError } from './create-dataset-dialog.tsx'
import { datasetMutation, readDatasetName } from './queries.ts'
import { ShareDatasetDialog } from './sharing/share-dataset-dialog.tsx'

/** The open dialog of the list or of a dataset. */
export type DatasetDialog =
  | { kind: 'create'; start?: CreateStart; link?: string | undefined }
  | { kind: 'rename' | 'share' | 'delete'; dataset: Dataset }

interface DatasetDialogsProps {
  dialog: DatasetDialog
  onClose: () => void
  /** Opens the new dataset. */
  onCreated: (datasetId: string) => void
  onDeleted?: () => void
}

/** Renders the open dialog. */
export function DatasetDialogs({ dialog, onClose, onCreated, onDeleted }: DatasetDialogsProps) {
  if (dialog.kind === 'create') return <CreateDatasetDialog {...dialog} onClose={onClose} onCreated={onCreated} />
  const { kind, dataset } = dialog
  if (kind === 'share') return <ShareDatasetDialog dataset={dataset} onClose={onClose} />
  if (kind === 'rename') return <RenameDatasetDialog dataset={dataset} onClose={onClose} />
  return <DeleteDatasetDialog dataset={dataset} onClose={onClose} onDeleted={onDeleted} />
}

function RenameDatasetDialog({ dataset: { id, name }, onClose }: { dataset: Dataset; onClose: () => void }) {
  const update = useMutation(datasetMutation.update(useQueryClient()))
  return (
    <RenameDialog
      noun="dataset"
      name={name}
      read={() => readDatasetName(id)}
      toError={toNameError}
      save={async (to, expected) => {
        await update.mutateAsync({ datasetId: id, name: to, expected: { name: expected } })
        toast.done(`Renamed to ${to}`)
      }}
      onClose={onClose}
    />
  )
}

export interface DeleteDatasetDialogProps {
  dataset: Dataset
  onClose: () => void
  onDeleted?: (() => void) | undefined
}

/** Deletes a dataset after its name is typed. */
export function DeleteDatasetDialog({ dataset, onClose, onDeleted }: DeleteDatasetDialogProps) {
  const remove = useMutation(datasetMutation.delete(useQueryClient()))
  const { id, name, example_count: examples, session_count: experiments } = dataset
  return (
    <DeleteDialog
      name={name}
      noun="dataset"
      isPending={remove.isPending}
      remove={(callbacks) => remove.mutate(id, callbacks)}
      onClose={onClose}
      onDeleted={onDeleted}
    >
      This deletes {pluralize(examples ?? 0, 'example')} with all versions, and the public link. This cannot be undone.{' '}
      {!!experiments && `The runs of ${pluralize(experiments, 'experiment')} stay as projects.`}
    </DeleteDialog>
  )
}
