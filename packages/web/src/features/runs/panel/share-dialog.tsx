import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { ExternalLink, Globe } from 'lucide-react'
import { useState } from 'react'
import { shareQuery, shareRun, unshareRun } from '#features/sharing/queries.ts'
import { findRow } from '#features/traces/model/trace.ts'
import { traceQuery } from '#features/traces/queries.ts'
import { intAt } from '#lib/columns.ts'
import { pluralize } from '#lib/format.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { FIELD } from '#ui/field.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'

/** Creates and revokes the public link of a run, and lists what it makes public. */
export function ShareDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const queryClient = useQueryClient()
  const share = useQuery(shareQuery.ofRun(run.id))
  const tree = useQuery(traceQuery.tree(run.trace_id))
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })
  const row = tree.data && findRow(tree.data, run.id)
  const below = tree.data && row !== undefined ? intAt(tree.data.subtreeEnd, row) - row - 1 : undefined

  async function act(change: () => Promise<void>, done: string) {
    setState({ busy: true })
    try {
      await change()
      setState({ busy: false })
      toast.done(done)
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  const link = share.data
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Share ${run.name}`}
      width="max-w-lg"
      footer={
        link ? (
          <>
            <Button
              look="danger"
              disabled={state.busy}
              onClick={() => void act(() => unshareRun(queryClient, run.id), 'Revoked the public link')}
            >
              Revoke link
            </Button>
            <Button key="done" look="primary" onClick={onClose}>
              Done
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              key="create"
              look="primary"
              disabled={state.busy || !share.isSuccess}
              onClick={() => void act(() => shareRun(queryClient, run.id), 'Created the public link')}
            >
              <Globe size={14} aria-hidden />
              Create public link
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3 text-base">
        {(state.error ?? share.error) != null && (
          <ErrorState compact title="Could not update the link" error={state.error ?? share.error} />
        )}
        <p>
          {link
            ? 'Anyone with this link can read, without signing in:'
            : 'Anyone with the link will be able to read, without signing in:'}
        </p>
        <ul className="list-disc pl-5 text-fg-muted">
          <li>
            this run{below === undefined || below > 0 ? ' and ' : ''}
            {below === undefined ? 'every run below it' : below > 0 && `the ${pluralize(below, 'run')} below it`}:
            names, times, errors, tags and metadata
          </li>
          <li>inputs and outputs in full, with attached files</li>
          <li>tokens and cost, scores and comments</li>
        </ul>
        <p className="text-fg-muted">
          {run.parent_run_id !== null && 'Parent and sibling runs stay private. '}
          The project, its other traces and its members stay private. Runs and feedback added below this run later
          become public too.
        </p>
        {link && (
          <div className="flex flex-wrap items-center gap-2">
            <input
              aria-label="Public link"
              readOnly
              value={link}
              onFocus={(event) => event.target.select()}
              className={`${FIELD} min-w-48 flex-1 font-mono text-row`}
            />
            <CopyButton text={link} label="Copy link" />
            <a href={link} target="_blank" rel="noopener noreferrer" className={buttonLook()}>
              <ExternalLink size={14} aria-hidden />
              Open
            </a>
          </div>
        )}
      </div>
    </Dialog>
  )
}
