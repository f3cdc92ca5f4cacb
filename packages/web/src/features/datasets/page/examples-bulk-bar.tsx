import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy, Download, type LucideIcon, Split, Tags, Trash2, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import { formatCount, pluralize } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { toast } from '#ui/toast.tsx'
import type { BulkKind } from '../examples/bulk-dialogs.tsx'
import { deleteExamples, exportExamples } from '../examples/queries.ts'

const BulkDialogs = lazyExtra(() => import('../examples/bulk-dialogs.tsx').then((module) => module.BulkDialogs))

interface ExamplesBulkBarProps {
  datasetId: string
  ids: readonly string[]
  /** How many examples the list has. */
  count: number
  metadataKeys: readonly string[]
  /** Selects all examples of the list. */
  onSelectAll: () => Promise<void>
  onClear: () => void
}

/** Actions on the selected examples. */
export function ExamplesBulkBar({ datasetId, ids, count, metadataKeys, onSelectAll, onClear }: ExamplesBulkBarProps) {
  const queryClient = useQueryClient()
  const [kind, setKind] = useState<BulkKind>()
  const exported = useMutation({
    mutationFn: () => exportExamples(datasetId, ids),
    onError: (error) => toast.failure('Could not export the examples', error),
  })
  const selectAll = useMutation({
    mutationFn: onSelectAll,
    onError: (error) => toast.failure('Could not select all examples', error),
  })
  function remove() {
    const onFailure = (cause: unknown) => {
      takeBack()
      toast.failure('Could not delete the examples', cause)
    }
    const undo = deleteExamples(queryClient, datasetId, ids, onFailure)
    const takeBack = toast.done(`${pluralize(ids.length, 'example')} deleted`, {
      label: 'Undo',
      run: undo,
    })
    onClear()
  }
  useShortcuts('List', [
    { keys: 'delete', label: 'Delete the selected examples', run: remove },
    { keys: 's', label: 'Change the splits of the selected examples', run: () => setKind('splits') },
  ])
  return (
    <section
      aria-label="Selected examples"
      className="flex h-10 shrink-0 items-center gap-1.5 overflow-x-auto border-t border-border bg-selected px-3 text-row coarse:h-12"
    >
      <span role="status" className="shrink-0 pr-1 font-medium tabular-nums">
        {formatCount(ids.length)} selected
      </span>
      <Action icon={Split} label="Splits" onClick={() => setKind('splits')} />
      <Action icon={Tags} label="Metadata" onClick={() => setKind('metadata')} />
      <Action icon={Copy} label="Copy to dataset" onClick={() => setKind('copy')} />
      <Action icon={Download} label="Export" onClick={() => exported.mutate()} isBusy={exported.isPending} />
      <Action icon={Trash2} label="Delete" look="danger" onClick={remove} />
      <span className="ml-auto flex shrink-0 items-center gap-1.5 pl-2">
        {ids.length < count && (
          <Button look="quiet" disabled={selectAll.isPending} onClick={() => selectAll.mutate()}>
            {selectAll.isPending ? 'Selecting…' : `Select all ${formatCount(count)}`}
          </Button>
        )}
        <IconButton icon={X} label="Clear the selection" onClick={onClear} />
      </span>
      <Suspense>
        {kind !== undefined && (
          <BulkDialogs
            kind={kind}
            datasetId={datasetId}
            ids={ids}
            metadataKeys={metadataKeys}
            onClose={() => setKind(undefined)}
          />
        )}
      </Suspense>
    </section>
  )
}

interface ActionProps {
  icon: LucideIcon
  label: string
  look?: 'plain' | 'danger'
  isBusy?: boolean
  onClick: () => void
}

function Action({ icon: Icon, label, look = 'plain', isBusy = false, onClick }: ActionProps) {
  return (
    <Button look={look} disabled={isBusy} onClick={onClick}>
      <Icon size={14} aria-hidden />
      {label}
    </Button>
  )
}
