import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AnnotationQueue } from '@touchstone/sdk'
import { useState } from 'react'
import { DeleteDialog } from '#ui/delete-dialog.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { CONTROL, FormField, TextField } from '#ui/field.tsx'
import { queueMutation } from './queries.ts'

/** The open dialog of the page. */
export type QueueDialog = { kind: 'create' } | { kind: 'delete'; queue: AnnotationQueue }

interface QueueDialogsProps {
  dialog: QueueDialog
  onClose: () => void
  onCreated: (queueId: string) => void
  onDeleted?: () => void
}

/** Renders the open dialog. */
export function QueueDialogs({ dialog, onClose, onCreated, onDeleted }: QueueDialogsProps) {
  if (dialog.kind === 'create') return <CreateDialog onClose={onClose} onCreated={onCreated} />
  return <DeleteQueueDialog queue={dialog.queue} onClose={onClose} onDeleted={onDeleted} />
}

/** Minutes for which an item is kept for the person who opens it. */
const RESERVATION_MINUTES = 60

function CreateDialog({ onClose, onCreated }: Pick<QueueDialogsProps, 'onClose' | 'onCreated'>) {
  const queryClient = useQueryClient()
  const create = useMutation(queueMutation.create(queryClient))
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [reviewers, setReviewers] = useState('1')
  const count = Number(reviewers)
  const reviewersError = Number.isInteger(count) && count >= 1 && count <= 1000 ? undefined : 'Enter 1 to 1,000.'
  return (
    <FormDialog
      title="New annotation queue"
      description="Its rubric, the dataset for corrections and its reviewers follow on the next page."
      action="Create queue"
      errorTitle="Could not create the queue"
      canSubmit={name.trim() !== '' && reviewersError === undefined}
      isPending={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() =>
        create.mutate(
          {
            name: name.trim(),
            description: description.trim() || undefined,
            numReviewersPerItem: count,
            reservationMinutes: RESERVATION_MINUTES,
          },
          {
            onSuccess: (queue) => {
              onClose()
              onCreated(queue.id)
            },
          },
        )
      }
    >
      <TextField label="Name" value={name} maxLength={1000} autoComplete="off" onChange={setName} />
      <FormField label="Description (optional)">
        {(props) => (
          <textarea
            {...props}
            dir="auto"
            rows={2}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
            className={`${CONTROL} !h-auto resize-y py-1.5`}
          />
        )}
      </FormField>
      <TextField
        label="Reviews per item"
        hint="How many different people complete an item before it is done."
        type="number"
        min={1}
        max={1000}
        value={reviewers}
        error={reviewersError}
        onChange={setReviewers}
      />
    </FormDialog>
  )
}

interface DeleteQueueDialogProps {
  queue: Pick<AnnotationQueue, 'id' | 'name'>
  onClose: () => void
  onDeleted?: (() => void) | undefined
}

export function DeleteQueueDialog({ queue: { id, name }, onClose, onDeleted }: DeleteQueueDialogProps) {
  const remove = useMutation(queueMutation.delete(useQueryClient()))
  return (
    <DeleteDialog
      name={name}
      noun="queue"
      isPending={remove.isPending}
      remove={(callbacks) => remove.mutate(id, callbacks)}
      onClose={onClose}
      onDeleted={onDeleted}
    >
      This deletes the queue with its rubric and the progress of its reviewers. Its runs and their feedback stay. This
      cannot be undone.
    </DeleteDialog>
  )
}
