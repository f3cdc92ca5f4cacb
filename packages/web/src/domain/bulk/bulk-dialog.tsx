import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BulkAction } from '@touchstone/sdk'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type BulkRuns, type BulkWish, bulkQuery, startBulk } from '#data/bulk-jobs.ts'
import { formatCount } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { BulkSample } from './bulk-sample.tsx'

export interface BulkDialogProps {
  action: BulkAction
  runs: BulkRuns
  title: string
  /** On the button, before the count: `Export`. */
  verb: string
  /** Whether it says traces rather than runs. */
  takesTraces?: boolean
  /** What is asked for; undefined while something is missing. */
  wish: BulkWish | undefined
  /** Fields of this action, and what it does. */
  children: ReactNode
  onStarted: () => void
  onClose: () => void
}

/** A bulk action before it begins: how many the server counts, some of them, and what else is needed. */
export function BulkDialog({
  action,
  runs,
  title,
  verb,
  takesTraces,
  wish,
  children,
  onStarted,
  onClose,
}: BulkDialogProps) {
  const queryClient = useQueryClient()
  const counted = useQuery(bulkQuery.count(action, runs))
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })
  const total = takesTraces ? counted.data?.traces : counted.data?.runs
  const noun = takesTraces ? 'trace' : 'run'
  const mayGo = !state.busy && wish !== undefined && total !== undefined && total > 0

  async function go(event: FormEvent) {
    event.preventDefault()
    if (!mayGo || counted.data === undefined) return
    setState({ busy: true })
    try {
      await startBulk(queryClient, runs, wish, counted.data)
      onStarted()
      onClose()
    } catch (error) {
      setState({ busy: false, error })
      void counted.refetch() // there may be more by now
    }
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      width="max-w-xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={action === 'delete' ? 'danger' : 'primary'} type="submit" form="bulk" disabled={!mayGo}>
            {verb} {total === undefined ? '…' : `${formatCount(total)} ${noun}${total === 1 ? '' : 's'}`}
          </Button>
        </>
      }
    >
      <form id="bulk" onSubmit={go} className="flex flex-col gap-3">
        {state.error !== undefined && <ErrorState compact title="It was not begun" error={state.error} />}
        {counted.isError && <ErrorState compact title="The runs could not be counted" error={counted.error} />}
        {children}
        <BulkSample counted={counted.data} />
      </form>
    </Dialog>
  )
}
