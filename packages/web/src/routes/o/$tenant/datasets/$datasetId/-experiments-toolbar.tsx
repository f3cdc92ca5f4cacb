import { ChartScatter, Columns3, Download } from 'lucide-react'
import { type ReactNode, type Ref, Suspense } from 'react'
import { saveFile } from '#lib/browser.ts'
import { listMetadataKeys } from '#lib/experiments/experiment-columns.ts'
import { toExperimentsTable } from '#lib/experiments/experiments-table.ts'
import type { ExperimentsSearch } from '#lib/experiments/search.ts'
import { createPreference, isBoolean } from '#lib/preferences.ts'
import { Button } from '#ui/button.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Popover } from '#ui/popover.tsx'
import { toast } from '#ui/toast.tsx'
import { columnsPreference, type Experiments } from './-use-experiments.ts'

const ColumnMenu = lazyExtra(() =>
  import('./-experiments-column-menu.tsx').then((module) => module.ExperimentsColumnMenu),
)

/** Whether the charts above the list are shown. */
export const chartsPreference = createPreference('experiment-charts', true, isBoolean)

interface ExperimentsToolbarProps {
  datasetId: string
  search: ExperimentsSearch
  experiments: Experiments
  field: Ref<HTMLInputElement>
  /** @param isDeliberate  whether Back returns to the view before */
  onSearch: (change: Partial<ExperimentsSearch>, isDeliberate: boolean) => void
}

/** Search, grouping, charts, columns and export. */
export function ExperimentsToolbar({ datasetId, search, experiments, field, onSearch }: ExperimentsToolbarProps) {
  const { all, found, columns, choices, dataset } = experiments
  const [hasCharts, setCharts] = usePreference(chartsPreference)
  const keys = listMetadataKeys(all)
  function chooseColumns(chosen: readonly string[] | undefined) {
    columnsPreference.choose(datasetId, chosen?.join() ?? '')
    onSearch({ cols: chosen?.join() }, false)
  }
  async function exportCsv() {
    try {
      const { unparse } = await import('papaparse')
      const table = toExperimentsTable(found, columns)
      saveFile(`${dataset?.name ?? 'dataset'} experiments.csv`, 'text/csv', [unparse(table, { escapeFormulae: true })])
    } catch (cause) {
      toast.failure('Could not export the experiments', cause)
    }
  }
  return (
    <>
      <input
        ref={field}
        type="search"
        aria-label="Search experiments"
        placeholder="Search by name or metadata"
        value={search.q}
        onChange={(event) => onSearch({ q: event.target.value }, false)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        className="h-7 w-56 min-w-32 rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
      />
      <Choice
        label="Group by"
        value={search.group ?? ''}
        onChange={(group) => onSearch({ group: group || undefined }, true)}
      >
        <option value="">none</option>
        <KeyOptions keys={keys} />
      </Choice>
      <Button
        aria-pressed={hasCharts}
        onClick={() => setCharts(!hasCharts)}
        className="aria-pressed:border-accent aria-pressed:bg-selected"
      >
        <ChartScatter size={13} aria-hidden />
        Charts
      </Button>
      {hasCharts && (
        <Choice label="Charts over" value={search.x} onChange={(x) => onSearch({ x }, true)}>
          <option value="time">time</option>
          <KeyOptions keys={keys} />
        </Choice>
      )}
      <Popover
        label="Columns"
        align="end"
        className="max-h-[70vh] w-72 overflow-auto p-2"
        trigger={
          <Button>
            <Columns3 size={13} aria-hidden />
            Columns
          </Button>
        }
      >
        <Suspense>
          <ColumnMenu choices={choices} columns={columns} onChange={chooseColumns} />
        </Suspense>
      </Popover>
      <Button
        disabled={found.length === 0}
        onClick={() => void exportCsv()}
        title="The listed experiments with the shown columns"
      >
        <Download size={13} aria-hidden />
        Export CSV
      </Button>
    </>
  )
}

function KeyOptions({ keys }: { keys: readonly string[] }) {
  return keys.map((key) => (
    <option key={key} value={key}>
      {key}
    </option>
  ))
}

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** `option`s. */
  children: ReactNode
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <label className="flex shrink-0 items-center gap-1.5 text-row text-fg-muted">
      {label}
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-7 max-w-40 rounded-control border border-border-strong bg-surface px-1 text-row text-fg coarse:h-10"
      >
        {children}
      </select>
    </label>
  )
}
