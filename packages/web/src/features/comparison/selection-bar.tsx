import { Database, ListChecks, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import type { BulkKind } from '#features/runs/bulk/bulk-dialogs.tsx'
import { formatCount, pluralize } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Select } from '#ui/select.tsx'
import type { Comparison } from './comparison.ts'
import { getRunsOfExample } from './logic/comparison.ts'

const BulkDialogs = lazyExtra(() => import('#features/runs/bulk/bulk-dialogs.tsx').then((module) => module.BulkDialogs))

export interface SelectionBarProps {
  comparison: Comparison
  selectedIds: ReadonlySet<string>
  onClear: () => void
}

/** Sends the runs of the selected examples to an annotation queue or a dataset. */
export function SelectionBar({ comparison, selectedIds, onClear }: SelectionBarProps) {
  const [kind, setKind] = useState<BulkKind>()
  const [of, setOf] = useState('')
  const mayWrite = useMay('member')
  if (selectedIds.size === 0) return null
  const runIds = listRunIds(comparison, selectedIds, of)
  const refusal = mayWrite ? {} : { disabled: true, title: READ_ONLY }
  return (
    <section
      aria-label="Selected examples"
      className="flex h-10 shrink-0 items-center gap-1.5 overflow-x-auto border-t border-border bg-selected px-3 text-row coarse:h-12"
    >
      <span role="status" className="shrink-0 pr-1 font-medium tabular-nums">
        {formatCount(selectedIds.size)} selected
      </span>
      <Select
        aria-label="Runs of"
        size="toolbar"
        value={of}
        onChange={setOf}
        options={[
          { value: '', label: 'Runs of all experiments' },
          ...comparison.cells.experiments.map(({ id, name }) => ({ value: id, label: `Runs of ${name}` })),
        ]}
      />
      <Button {...refusal} onClick={() => setKind('add_to_queue')}>
        <ListChecks size={14} aria-hidden />
        Queue {pluralize(runIds.length, 'run')}
      </Button>
      <Button {...refusal} onClick={() => setKind('add_to_dataset')}>
        <Database size={14} aria-hidden />
        Add to dataset
      </Button>
      <span className="ml-auto">
        <IconButton icon={X} label="Clear the selection" onClick={onClear} />
      </span>
      <Suspense>
        {kind !== undefined && (
          <BulkDialogs
            kind={kind}
            runs={{ id: runIds }}
            onStarted={() => undefined}
            onClose={() => setKind(undefined)}
          />
        )}
      </Suspense>
    </section>
  )
}

/** @param of  only this experiment; '' for all */
function listRunIds({ cells }: Comparison, selectedIds: ReadonlySet<string>, of: string): string[] {
  const examples = cells.exampleIds.flatMap((id, at) => (selectedIds.has(id) ? [at] : []))
  return cells.experiments
    .filter(({ id }) => of === '' || id === of)
    .flatMap((experiment) =>
      examples.flatMap((example) =>
        Array.from(getRunsOfExample(experiment, example), (run) => experiment.runs.id[run] ?? ''),
      ),
    )
}
