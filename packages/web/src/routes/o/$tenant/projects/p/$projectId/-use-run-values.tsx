import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import type { Run, RunValues } from '@touchstone/sdk'
import { useCallback, useMemo, useRef } from 'react'
import { type CellValue, runValuesQuery } from '#data/run-values.ts'
import { readColumn } from '#lib/runs/column-ids.ts'

const BLOCK = 50
const NO_BLOCKS: Run[][] = []

/** The value of a column made of a JSON path: `undefined` while it is read, an Error when it could not be. */
export type ValueAt = (runId: string, columnId: string) => CellValue | undefined | Error

/** Values for the columns that are paths into payloads; they fill in after their rows, block by block. */
export function useRunValues(columnIds: readonly string[], rows: readonly Run[]): ValueAt {
  const made = useMemo(
    () =>
      columnIds.flatMap((id) => {
        const column = readColumn(id)
        return column?.kind === 'json' ? [{ id, path: column.path }] : []
      }),
    [columnIds],
  )
  // A run stays in the block that it was read in, whether rows come above or below.
  const placed = useRef<{ of: unknown; ids: string[][] }>({ of: made, ids: [] })
  const blocks = useMemo(() => {
    if (placed.current.of !== made) placed.current = { of: made, ids: [] }
    if (made.length === 0) return NO_BLOCKS
    const { ids } = placed.current
    const byId = new Map(rows.map((run) => [run.id, run]))
    const known = new Set(ids.flat())
    const fresh = [...byId.keys()].filter((id) => !known.has(id))
    for (let at = 0; at < fresh.length; at += BLOCK) ids.push(fresh.slice(at, at + BLOCK))
    return ids.map((block) => block.flatMap((id) => byId.get(id) ?? [])).filter((block) => block.length > 0)
  }, [made, rows])
  const paths = useMemo(() => made.map(({ path }) => path), [made])
  const combine = useCallback(
    (answers: readonly Pick<UseQueryResult<RunValues>, 'data' | 'error'>[]): ValueAt => {
      const byRun = new Map<string, readonly CellValue[] | Error>()
      for (const [at, { data, error }] of answers.entries()) {
        for (const run of data?.runs ?? []) byRun.set(run.id, run.values)
        if (error) for (const run of blocks[at] ?? []) byRun.set(run.id, error)
      }
      const place = new Map(made.map(({ id }, at) => [id, at]))
      return (runId, columnId) => {
        const values = byRun.get(runId)
        return values === undefined || values instanceof Error ? values : values[place.get(columnId)!]
      }
    },
    [made, blocks],
  )
  return useQueries({ queries: blocks.map((block) => runValuesQuery(block, paths)), combine })
}
