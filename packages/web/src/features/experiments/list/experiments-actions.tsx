import { GitCompare, Inbox, Trash2, X } from 'lucide-react'
import { formatCount } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, IconButton } from '#ui/button.tsx'
import type { ExperimentRow } from '../experiment-row.ts'
import { type ExperimentsPageAction, explainCompare } from './experiments-controller.ts'

interface ExperimentsActionsProps {
  /** Selected experiments. */
  rows: readonly ExperimentRow[]
  /** What Compare opens; undefined while it is not possible. */
  compared: readonly string[] | undefined
  mayWrite: boolean
  onCompare: (ids: readonly string[]) => void
  /** Loads what Compare opens: a large comparison takes the server a moment. */
  onApproachCompare: (ids: readonly string[]) => void
  dispatch: (action: ExperimentsPageAction) => void
}

/** What can be done with the selected experiments. On phones the less frequent actions are icons. */
export function ExperimentsActions({ rows, compared, mayWrite, dispatch, ...props }: ExperimentsActionsProps) {
  const approach = () => compared && props.onApproachCompare(compared)
  if (rows.length === 0) return null
  const reason = mayWrite ? undefined : READ_ONLY
  return (
    <>
      <IconButton icon={X} label="Clear selection" onClick={() => dispatch({ kind: 'clear' })} />
      <Button
        disabled={!mayWrite}
        title={reason}
        aria-label="Add runs to queue"
        onClick={() => dispatch({ kind: 'open', dialog: { kind: 'queue', rows } })}
      >
        <Inbox size={13} aria-hidden />
        <span className="max-md:hidden">Add runs to queue</span>
      </Button>
      <Button
        look="danger"
        disabled={!mayWrite}
        title={reason}
        aria-label={`Delete ${formatCount(rows.length)}…`}
        onClick={() => dispatch({ kind: 'open', dialog: { kind: 'delete', rows } })}
      >
        <Trash2 size={13} aria-hidden />
        <span className="max-md:hidden">Delete {formatCount(rows.length)}…</span>
      </Button>
      <Button
        look="primary"
        disabled={compared === undefined}
        title={compared === undefined ? explainCompare(rows.length) : undefined}
        onPointerEnter={approach}
        onFocus={approach}
        onClick={() => compared && props.onCompare(compared)}
      >
        <GitCompare size={13} aria-hidden />
        {rows.length === 1 && compared ? 'Compare with baseline' : `Compare ${formatCount(rows.length)}`}
      </Button>
    </>
  )
}
