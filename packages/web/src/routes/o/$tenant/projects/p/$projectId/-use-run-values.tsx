import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import type { Run, RunValues } from '@touchstone/sdk'
import { useCallback, useMemo, useRef } from 'react'
import { type CellValue, runStatsQuery } from '#data/run-stats.ts'
import { readColumn } from '#lib/runs/columns.ts'

const BLOCK = 50
const NO_BLOCKS: Run[][] = []

/** The value of a JSON path column: `undefined` while it loads, an Error when it could not be loaded. */
export type ReadRunValue = (runId: string, columnId: string) => CellValue | undefined | Error

/** Values of the columns that are paths into payloads. They load after their rows, in blocks. */
export function useRunValues(columnIds: readonly string[], rows: readonly Run[]): ReadRunValue {
  const jsonColumns = useMemo(
    () =>
      columnIds.flatMap((id) => {
        const column = readColumn(id)
        return column?.kind === 'json' ? [{ id, path: column.path }] : []
      }),
    [columnIds],
  )
  // A run stays in the block that it was loaded in when rows are added above or below it.
  const assigned = useRef<{ columns: unknown; ids: string[][] }>({ columns: jsonColumns, ids: [] })
  const blocks = useMemo(() => {
    if (assigned.current.columns !== jsonColumns) assigned.current = { columns: jsonColumns, ids: [] }
    if (jsonColumns.length === 0) return NO_BLOCKS
    const { ids } = assigned.current
    const byId = new Map(rows.map((run) => [run.id, run]))
    const assignedIds = new Set(ids.flat())
    const newIds = [...byId.keys()].filter((id) => !assignedIds.has(id))
    for (let start = 0; start < newIds.length; start += BLOCK) ids.push(newIds.slice(start, start + BLOCK))
    return ids.map((block) => block.flatMap((id) => byId.get(id) ?? [])).filter((block) => block.length > 0)
  }, [jsonColumns, rows])
  const paths = useMemo(() => jsonColumns.map(({ path }) => path), [jsonColumns])
  const combine = useCallback(
    (answers: readonly Pick<UseQueryResult<RunValues>, 'data' | 'error'>[]): ReadRunValue => {
      const byRun = new Map<string, readonly CellValue[] | Error>()
      for (const [index, { data, error }] of answers.entries()) {
        for (const run of data?.runs ?? []) byRun.set(run.id, run.values)
        if (error) for (const run of blocks[index] ?? []) byRun.set(run.id, error)
      }
      const indexById = new Map(jsonColumns.map(({ id }, index) => [id, index]))
      return (runId, columnId) => {
        const values = byRun.get(runId)
        const index = indexById.get(columnId)
        if (values === undefined || values instanceof Error) return values
        return index === undefined ? undefined : values[index]
      }
    },
    [jsonColumns, blocks],
  )
  return useQueries({ queries: blocks.map((block) => runStatsQuery.values(block, paths)), combine })
}
