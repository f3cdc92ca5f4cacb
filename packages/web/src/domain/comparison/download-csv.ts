import type { QueryClient } from '@tanstack/react-query'
import { comparisonQuery } from '#data/comparison.ts'
import { saveFile } from '#lib/browser.ts'
import { buildCsvHeader, buildCsvRows, printCsvLine } from '#lib/experiments/comparison-csv.ts'
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
