import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { useState } from 'react'
import { deleteTrace } from '#features/traces/export/queries.ts'
import { traceQuery } from '#features/traces/queries.ts'
import { pluralize } from '#lib/format.ts'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { toast } from '#ui/toast.tsx'

export interface DeleteTraceDialogProps {
  run: Run
  onClose: () => void
  onDeleted: () => void
}

/** Deletes the trace of a run permanently, after the user typed its number of runs. */
export function DeleteTraceDialog({ run, onClose, onDeleted }: DeleteTraceDialogProps) {
  const queryClient = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const tree = useQuery(traceQuery.tree(run.trace_id))
  const total = tree.data?.total

  async function remove() {
    setBusy(true)
    try {
      const count = await deleteTrace(queryClient, run.trace_id, run.session_id)
      toast.done(`${pluralize(count, 'run')} deleted`)
      onDeleted()
    } catch (cause) {
      setBusy(false)
      toast.failure('Could not delete the trace', cause)
    }
  }

  return (
    <ConfirmDialog
      title="Delete this trace?"
      action="Delete trace"
      typed={total === undefined ? run.trace_id : String(total)}
      isBusy={isBusy}
      onConfirm={() => void remove()}
      onCancel={onClose}
    >
      <p>
        This deletes the whole trace, not only {run.name}:{' '}
        {total === undefined ? 'all of its runs' : pluralize(total, 'run')}, with their feedback, files and public
        links. Examples created from it are kept. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
