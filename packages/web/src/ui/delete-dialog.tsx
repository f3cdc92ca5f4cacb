import type { ReactNode } from 'react'
import { ConfirmDialog } from './dialog.tsx'
import { toast } from './toast.tsx'

interface DeleteDialogProps {
  /** Name of the object, which the user types to confirm. */
  name: string
  /** What the object is called in the button, for example `dataset`. */
  noun: string
  isPending: boolean
  remove: (callbacks: { onSuccess: () => void; onError: (cause: unknown) => void }) => void
  onClose: () => void
  onDeleted?: (() => void) | undefined
  /** What is deleted with it and what stays. */
  children: ReactNode
}

/** Deletes an object after its name is typed, and reports the result. */
export function DeleteDialog({ name, noun, isPending, remove, onClose, onDeleted, children }: DeleteDialogProps) {
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action={`Delete ${noun}`}
      typed={name}
      isBusy={isPending}
      onCancel={onClose}
      onConfirm={() =>
        remove({
          onSuccess: () => {
            onClose()
            onDeleted?.()
            toast.done(`Deleted ${name}`)
          },
          onError: (cause) => toast.failure(`Could not delete ${name}`, cause),
        })
      }
    >
      {children}
    </ConfirmDialog>
  )
}
