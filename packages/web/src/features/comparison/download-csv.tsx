import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { csvHeader, csvLine } from '@touchstone/contract/csv-line'
import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { saveFile } from '#lib/browser.ts'
import { pluralize } from '#lib/format.ts'
import { createPreference } from '#lib/preferences.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { Popover } from '#ui/popover.tsx'
import { toast } from '#ui/toast.tsx'
import { type Comparison, getStamp } from './comparison.ts'
import {
  buildCsvHeader,
  buildCsvRows,
  type CsvColumn,
  listCsvColumns,
  listKeptColumns,
} from './logic/comparison-csv.ts'
import { comparisonQuery } from './queries.ts'

/** Rows whose texts are read at the same time. */
const AT_ONCE = 40

/** Columns that the user left out of earlier downloads. */
const hiddenPreference = createPreference<readonly string[]>(
  'comparison-csv-hidden',
  [],
  (value): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string'),
)

/** Saves the shown rows, in their order, with whole texts. @param hidden  ids of the columns to leave out */
async function downloadCsv(
  queryClient: QueryClient,
  comparison: Comparison,
  { signal, hidden }: { signal: AbortSignal; hidden: ReadonlySet<string> },
): Promise<void> {
  const { cells, view, rows, repetition } = comparison
  const { ofExample, ofExperiment } = listCsvColumns(cells)
  const needsTexts = [...ofExample, ...ofExperiment].some(({ id, isText }) => isText && !hidden.has(id))
  const kept = listKeptColumns(cells, hidden)
  const keep = (line: readonly string[]) => line.filter((_, at) => kept[at])
  const parts = [csvHeader(keep(buildCsvHeader(cells)), 'spreadsheet')]
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    signal.throwIfAborted()
    const some = rows.slice(at, at + AT_ONCE)
    const examples = await Promise.all(
      (needsTexts ? some : []).map((example) =>
        queryClient.fetchQuery({
          ...comparisonQuery.whole(view, cells.exampleIds[example] ?? '', getStamp(comparison, example)),
          gcTime: 0,
        }),
      ),
    )
    for (const [index, example] of some.entries()) {
      const found = examples[index]
      const texts = found && { ...found, runs: new Map(found.runs.map((run) => [run.id, run])) }
      for (const line of buildCsvRows(cells, example, texts ?? undefined, { repetition })) {
        parts.push(csvLine(keep(line), 'spreadsheet'))
      }
    }
  }
  signal.throwIfAborted()
  saveFile('comparison.csv', 'text/csv;charset=utf-8', parts)
}

/** Saves the shown rows; the message cancels. */
function useCsvDownload() {
  const queryClient = useQueryClient()
  const running = useRef<AbortController>(undefined)
  return (comparison: Comparison, hidden: ReadonlySet<string>) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const total = pluralize(comparison.rows.length, 'row')
    toast.done(`Preparing ${total}`, { label: 'Cancel', run: () => controller.abort() })
    downloadCsv(queryClient, comparison, { signal: controller.signal, hidden })
      .then(() => toast.done(`Saved ${total} as comparison.csv`))
      .catch((cause: unknown) => {
        if (!controller.signal.aborted) toast.failure('Could not save the CSV', cause)
      })
  }
}

/** Chooses the columns, then saves what is shown as CSV. The choice is remembered. */
export function CsvDownload({ comparison }: { comparison: Comparison }) {
  const [isOpen, setOpen] = useState(false)
  const [left, setLeft] = usePreference(hiddenPreference)
  const download = useCsvDownload()
  const hidden = new Set(left)
  const { ofExample, ofExperiment } = listCsvColumns(comparison.cells)
  const all = [...ofExample, ...ofExperiment]
  const count = all.filter(({ id }) => !hidden.has(id)).length
  // Columns that only other comparisons have stay as they were chosen there.
  const choose = (ids: readonly string[], isShown: boolean) =>
    setLeft(isShown ? left.filter((id) => !ids.includes(id)) : [...new Set([...left, ...ids])])
  const group = (label: string, columns: readonly CsvColumn[]) => (
    <fieldset className="min-w-0">
      <legend className="px-1 pb-1 text-meta text-fg-subtle">{label}</legend>
      {columns.map((column) => (
        <label
          key={column.id}
          className="flex h-7 min-w-0 items-center gap-2 rounded-control px-1 text-row hover:bg-hover coarse:h-10"
        >
          <input
            type="checkbox"
            checked={!hidden.has(column.id)}
            onChange={(event) => choose([column.id], event.target.checked)}
          />
          <span className="truncate" title={column.label}>
            {column.label}
          </span>
        </label>
      ))}
    </fieldset>
  )
  return (
    <Popover
      label="Columns of the CSV"
      align="end"
      className="w-72"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={<IconButton icon={Download} label="Download what is shown as CSV" />}
    >
      <div className="flex flex-col gap-2">
        {group('Example', ofExample)}
        {group('Each experiment', ofExperiment)}
        <div className="sticky -bottom-2 -mx-2 -mb-2 flex items-center gap-2 border-t border-border bg-surface p-2">
          <Button
            look="quiet"
            onClick={() =>
              choose(
                all.map(({ id }) => id),
                count < all.length,
              )
            }
          >
            {count < all.length ? 'Select all' : 'Select none'}
          </Button>
          <Button
            look="primary"
            className="ml-auto"
            disabled={count === 0}
            onClick={() => {
              setOpen(false)
              download(comparison, hidden)
            }}
          >
            Download {pluralize(comparison.rows.length, 'row')}
          </Button>
        </div>
      </div>
    </Popover>
  )
}
