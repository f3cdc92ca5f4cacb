import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ComparativeExperiment } from '@touchstone/sdk'
import { pairwiseMutation } from '#data/pairwise.ts'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { toast } from '#ui/toast.tsx'

interface DeleteComparisonProps {
  comparison: ComparativeExperiment
  onClose: () => void
}

/** Asks before a comparison is deleted with the scores and votes on it. */
export function DeleteComparison({ comparison, onClose }: DeleteComparisonProps) {
  const name = comparison.name ?? 'comparison'
  const remove = useMutation(pairwiseMutation.delete(useQueryClient()))
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete"
      typed={name}
      isBusy={remove.isPending}
      onConfirm={() =>
        remove.mutate(comparison.id, {
          onSuccess: () => {
            toast.done(`Deleted ${name}`)
            onClose()
          },
          onError: (cause) => toast.failure(`Could not delete ${name}`, cause),
        })
      }
      onCancel={onClose}
    >
      The scores of its judges and the votes of people are deleted with it. The experiments stay.
    </ConfirmDialog>
  )
}
