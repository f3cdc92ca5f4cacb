import { Link } from '@tanstack/react-router'
import { Columns2, Database, Download, ListChecks, Trash2, X } from 'lucide-react'
import { type ComponentType, Suspense, useState } from 'react'
import type { BulkRuns } from '#data/bulk-jobs.ts'
import { useMay } from '#data/me.ts'
import { conditionsOf, type RunsView } from '#data/runs.ts'
import type { BulkKind } from '#domain/bulk/bulk-dialogs.tsx'
import { formatCount } from '#lib/format/format.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { lazyExtra } from '#ui/lazy-extra.tsx'
import { toast } from '#ui/toast.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import type { Runs } from './-use-runs.tsx'

const BulkDialogs = lazyExtra(() => import('#domain/bulk/bulk-dialogs.tsx').then((module) => module.BulkDialogs))

export interface RunsBulkBarProps {
  tenant: string
  view: RunsView
  runs: Runs
  onClear: () => void
  /** Runs that match in all, once they are counted. */
  count: number | undefined
}

/** What can be done with the runs that are selected, or with all that match: then the filter travels, not the rows. */
export function RunsBulkBar(props: RunsBulkBarProps) {
  const { view, runs } = props
  // "All" means all of this view; another view begins with nothing selected.
  const viewKey = JSON.stringify([view.scope, view.t, view.filters])
  const [allOf, setAllOf] = useState<string>()
  const isAll = allOf === viewKey
  if (runs.selected.size === 0) return null
  return <Bar {...props} isAll={isAll} onAll={() => setAllOf(viewKey)} onNotAll={() => setAllOf(undefined)} />
}

interface BarProps extends RunsBulkBarProps {
  isAll: boolean
  onAll: () => void
  onNotAll: () => void
}

function Bar({ tenant, view, runs, onClear, count, isAll, onAll, onNotAll }: BarProps) {
  const [kind, setKind] = useState<BulkKind>()
  const mayWrite = useMay('member')
  /** Also an export is a job of the server, which a viewer may not start. */
  const change = mayWrite ? {} : { refusal: 'Viewers may only read.' }
  const ids = [...runs.selected]
  const about: BulkRuns = isAll ? conditionsOf(view, runs.bounds) : { id: ids }
  const mayBeMore = count === undefined ? runs.list.hasNextPage : count > ids.length
  function clear() {
    onNotAll()
    onClear()
  }
  async function copyIds() {
    if (await copyText(ids.join('\n'))) toast.done(`${formatCount(ids.length)} ids copied`)
  }
  useShortcuts('List', [
    { keys: 'd', label: 'Add the selected to a dataset', run: () => mayWrite && setKind('add_to_dataset') },
    { keys: 'q', label: 'Add the selected to a queue', run: () => mayWrite && setKind('add_to_queue') },
  ])

  return (
    <section
      aria-label="Selected runs"
      className="flex h-10 shrink-0 items-center gap-1.5 overflow-x-auto border-t border-border bg-selected px-3 text-row coarse:h-12"
    >
      <span role="status" className="shrink-0 pr-1 font-medium tabular-nums">
        {isAll ? `All ${approximately(count)} matching` : `${formatCount(ids.length)} selected`}
      </span>
      <Action {...change} icon={Database} label="Add to dataset" onClick={() => setKind('add_to_dataset')} />
      <Action {...change} icon={ListChecks} label="Queue" onClick={() => setKind('add_to_queue')} />
      {!isAll && ids.length === 2 && (
        <Link
          to="/o/$tenant/compare-runs"
          params={{ tenant }}
          search={{ a: ids[0]!, b: ids[1]! }}
          className={buttonLook()}
        >
          <Columns2 size={14} aria-hidden />
          Compare
        </Link>
      )}
      <Action {...change} icon={Download} label="Export" onClick={() => setKind('export')} />
      <Action {...change} icon={Trash2} label="Delete" look="danger" onClick={() => setKind('delete')} />
      <span className="ml-auto flex shrink-0 items-center gap-1.5 pl-2">
        {isAll ? (
          <Button look="quiet" onClick={onNotAll}>
            Only the {formatCount(ids.length)} selected
          </Button>
        ) : (
          <>
            {mayBeMore && (
              <Button look="quiet" onClick={onAll}>
                Select all {approximately(count)} matching
              </Button>
            )}
            <Button look="quiet" onClick={copyIds}>
              Copy ids
            </Button>
          </>
        )}
        <IconButton icon={X} label="Clear the selection" onClick={clear} />
      </span>
      <Suspense>
        {kind !== undefined && (
          <BulkDialogs
            kind={kind}
            runs={about}
            onStarted={() => kind === 'delete' && clear()}
            onClose={() => setKind(undefined)}
          />
        )}
      </Suspense>
    </section>
  )
}

/** The list is counted now and then; a dialog counts exactly. */
function approximately(count: number | undefined): string {
  return count === undefined ? '' : `~${formatCount(count)}`
}

interface ActionProps {
  icon: ComponentType<{ size: number; 'aria-hidden': true }>
  label: string
  look?: 'plain' | 'danger'
  /** Why it is closed; absent where it is open. */
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
