import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { comparisonQuery } from '#data/comparison.ts'
import { saveFile } from '#lib/browser.ts'
import { buildCsvHeader, buildCsvRows, printCsvLine } from '#lib/experiments/comparison-csv.ts'
import { formatCount } from '#lib/format.ts'
import { toast } from '#ui/toast.tsx'
import { type Comparison, getStamp } from './comparison.ts'

/** Rows whose texts are read at the same time. */
const AT_ONCE = 40

/**
 * Saves the shown rows, in their order, with whole texts.
 *
 * @param onProgress  called with the number of rows that are ready
 */
export async function downloadCsv(
  queryClient: QueryClient,
  comparison: Comparison,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (rows: number) => void },
): Promise<void> {
  const { cells, view, rows, repetition } = comparison
  const parts = [printCsvLine(buildCsvHeader(cells))]
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    signal.throwIfAborted()
    const some = rows.slice(at, at + AT_ONCE)
    const examples = await Promise.all(
      some.map((example) =>
        queryClient.fetchQuery({
          ...comparisonQuery.whole(view, cells.exampleIds[example] ?? '', getStamp(comparison, example)),
          gcTime: 0,
        }),
      ),
    )
    for (const [index, example] of some.entries()) {
      const found = examples[index]
      const texts = found && { ...found, runs: new Map(found.runs.map((run) => [run.id, run])) }
      for (const line of buildCsvRows(cells, example, texts ?? undefined, { repetition }))
        parts.push(printCsvLine(line))
    }
    onProgress(Math.min(rows.length, at + AT_ONCE))
  }
  signal.throwIfAborted()
  saveFile('comparison.csv', 'text/csv;charset=utf-8', parts)
}

/** Saves the shown rows; the message shows the progress and cancels. */
export function useCsvDownload() {
  const queryClient = useQueryClient()
  const running = useRef<AbortController>(undefined)
  return (comparison: Comparison) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const total = formatCount(comparison.rows.length)
    toast.done(`Preparing ${total} rows`, { label: 'Cancel', run: () => controller.abort() })
    downloadCsv(queryClient, comparison, { signal: controller.signal, onProgress: () => undefined })
      .then(() => toast.done(`Saved ${total} rows as comparison.csv`))
      .catch((cause: unknown) => {
        if (!controller.signal.aborted) toast.failure('Could not save the CSV', cause)
      })
  }
}
