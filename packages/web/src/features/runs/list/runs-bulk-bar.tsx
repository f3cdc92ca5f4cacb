import { Link } from '@tanstack/react-router'
import { Columns2, Database, Download, ListChecks, Trash2, X } from 'lucide-react'
import { type ComponentType, Suspense, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import type { BulkRuns } from '#features/bulk-jobs/queries.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, buttonLook, IconButton } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { toast } from '#ui/toast.tsx'
import type { BulkKind } from '../bulk/bulk-dialogs.tsx'
import { type RunsView, toRunConditions } from '../queries.ts'
import type { Runs } from './use-runs.tsx'

const BulkDialogs = lazyExtra(() => import('../bulk/bulk-dialogs.tsx').then((module) => module.BulkDialogs))

export interface RunsBulkBarProps {
  tenant: string
  view: RunsView
  runs: Runs
  onClear: () => void
  /** Matching runs in total, once counted. */
  count: number | undefined
}

/** Actions on the selected runs, or on all matching runs: the server then receives the filter instead of the ids. */
export function RunsBulkBar(props: RunsBulkBarProps) {
  return props.runs.selection.selectedIds.size === 0 ? null : <Bar {...props} />
}

function Bar(props: RunsBulkBarProps) {
  const { tenant, view, runs, onClear, count } = props
  const { isAll } = runs.selection
  const [kind, setKind] = useState<BulkKind>()
  const canWrite = useMay('member')
  const ids = [...runs.selection.selectedIds]
  const target: BulkRuns = isAll ? toRunConditions(view, runs.list.bounds) : { id: ids }
  useShortcuts('List', [
    { keys: 'd', label: 'Add selected runs to a dataset', run: () => canWrite && setKind('add_to_dataset') },
    { keys: 'q', label: 'Add selected runs to a queue', run: () => canWrite && setKind('add_to_queue') },
  ])

  return (
    <section
      aria-label="Selected runs"
      className="flex h-10 shrink-0 items-center gap-1.5 overflow-x-auto border-t border-border bg-selected px-3 text-row coarse:h-12"
    >
      <span role="status" className="shrink-0 pr-1 font-medium tabular-nums">
        {isAll ? `All ${formatApproximate(count)} matching` : `${formatCount(ids.length)} selected`}
      </span>
      <BulkActions tenant={tenant} ids={ids} isAll={isAll} canWrite={canWrite} onStart={setKind} />
      <SelectionScope {...props} ids={ids} />
      <Suspense>
        {kind !== undefined && (
          <BulkDialogs
            kind={kind}
            runs={target}
            onStarted={() => kind === 'delete' && onClear()}
            onClose={() => setKind(undefined)}
          />
        )}
      </Suspense>
    </section>
  )
}

interface BulkActionsProps {
  tenant: string
  ids: readonly string[]
  isAll: boolean
  canWrite: boolean
  onStart: (kind: BulkKind) => void
}

function BulkActions({ tenant, ids, isAll, canWrite, onStart }: BulkActionsProps) {
  // An export is a job on the server, too, which a viewer cannot start.
  const refusal = canWrite ? {} : { refusal: READ_ONLY }
  const [a, b] = ids
  return (
    <>
      <Action {...refusal} icon={Database} label="Add to dataset" onClick={() => onStart('add_to_dataset')} />
      <Action {...refusal} icon={ListChecks} label="Queue" onClick={() => onStart('add_to_queue')} />
      {!isAll && ids.length === 2 && a !== undefined && b !== undefined && (
        <Link to="/o/$tenant/compare-runs" params={{ tenant }} search={{ a, b }} className={buttonLook()}>
          <Columns2 size={14} aria-hidden />
          Compare
        </Link>
      )}
      <Action {...refusal} icon={Download} label="Export" onClick={() => onStart('export')} />
      <Action {...refusal} icon={Trash2} label="Delete" look="danger" onClick={() => onStart('delete')} />
    </>
  )
}

/** Switches between the selected and all matching runs, and clears the selection. */
function SelectionScope({ runs, count, onClear, ids }: RunsBulkBarProps & { ids: readonly string[] }) {
  const { isAll, setAll } = runs.selection
  const hasMore = count === undefined ? runs.list.query.hasNextPage : count > ids.length
  async function copyIds() {
    if (await copyText(ids.join('\n'))) toast.done(`${pluralize(ids.length, 'ID')} copied`)
  }
  return (
    <span className="ml-auto flex shrink-0 items-center gap-1.5 pl-2">
      {isAll ? (
        <Button look="quiet" onClick={() => setAll(false)}>
          Only the {formatCount(ids.length)} selected
        </Button>
      ) : (
        <>
          {hasMore && (
            <Button look="quiet" onClick={() => setAll(true)}>
              Select all {formatApproximate(count)} matching
            </Button>
          )}
          <Button look="quiet" onClick={copyIds}>
            Copy IDs
          </Button>
        </>
      )}
      <IconButton icon={X} label="Clear the selection" onClick={onClear} />
    </span>
  )
}

/** The list's count may be out of date; the dialogs count exactly. */
function formatApproximate(count: number | undefined): string {
  return count === undefined ? '' : `~${formatCount(count)}`
}

interface ActionProps {
  icon: ComponentType<{ size: number; 'aria-hidden': true }>
  label: string
  look?: 'plain' | 'danger'
  /** Why the action is disabled. */
  refusal?: string
  onClick: () => void
}

function Action({ icon: Icon, label, look = 'plain', refusal, onClick }: ActionProps) {
  return (
    <Button look={look} onClick={onClick} disabled={refusal !== undefined} title={refusal}>
      <Icon size={14} aria-hidden />
      {label}
    </Button>
  )
}
