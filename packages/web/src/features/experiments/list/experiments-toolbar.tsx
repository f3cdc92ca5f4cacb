import { csvHeader, csvLine } from '@touchstone/contract/csv-line'
import { ChartScatter, Columns3, Download } from 'lucide-react'
import { type Ref, Suspense } from 'react'
import { saveFile } from '#lib/browser.ts'
import { createPreference, isBoolean } from '#lib/preferences.ts'
import type { SelectOption } from '#lib/select.ts'
import { Button } from '#ui/button.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Popover } from '#ui/popover.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { Select } from '#ui/select.tsx'
import { listMetadataKeys } from '../experiment-columns.ts'
import { toExperimentsTable } from '../experiment-list.ts'
import type { ExperimentsSearch } from '../search.ts'
import { columnsPreference, type Experiments } from './use-experiments.ts'

const ColumnMenu = lazyExtra(() =>
  import('./experiments-column-menu.tsx').then((module) => module.ExperimentsColumnMenu),
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
  function exportCsv() {
    const [titles = [], ...lines] = toExperimentsTable(found, columns).map((line) => line.map(String))
    const parts = [csvHeader(titles, 'spreadsheet'), ...lines.map((line) => csvLine(line, 'spreadsheet'))]
    saveFile(`${dataset?.name ?? 'dataset'} experiments.csv`, 'text/csv;charset=utf-8', parts)
  }
  return (
    <>
      <SearchField
        ref={field}
        label="Search experiments"
        placeholder="Search by name or metadata"
        value={search.q}
        onChange={(q) => onSearch({ q }, false)}
        className="w-56"
      />
      <Choice
        label="Group by"
        value={search.group ?? ''}
        onChange={(group) => onSearch({ group: group || undefined }, true)}
        first={{ value: '', label: 'None' }}
        keys={keys}
      />
      <Button
        aria-pressed={hasCharts}
        onClick={() => setCharts(!hasCharts)}
        className="aria-pressed:border-accent aria-pressed:bg-selected"
      >
        <ChartScatter size={13} aria-hidden />
        Charts
      </Button>
      {hasCharts && (
        <Choice
          label="Charts over"
          value={search.x}
          onChange={(x) => onSearch({ x }, true)}
          first={{ value: 'time', label: 'Time' }}
          keys={keys}
        />
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
        onClick={() => exportCsv()}
        title="The listed experiments with the shown columns"
      >
        <Download size={13} aria-hidden />
        Export CSV
      </Button>
    </>
  )
}

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  first: SelectOption
  /** Metadata keys, listed after it. */
  keys: readonly string[]
}

function Choice({ label, value, onChange, first, keys }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the select is the control
    <label className="flex shrink-0 items-center gap-1.5 text-row text-fg-muted">
      {label}
      <Select
        size="toolbar"
        value={value}
        onChange={onChange}
        options={[first, ...keys.map((key) => ({ value: key, label: key, group: 'Metadata' }))]}
      />
    </label>
  )
}
