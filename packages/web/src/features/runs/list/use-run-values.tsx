import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { useMemo, useRef } from 'react'
import { readColumn } from '#lib/run-columns.ts'
import { type CellValue, runStatsQuery } from '../stats-queries.ts'

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
  const queryClient = useQueryClient()
  const queries = blocks.map((block) => runStatsQuery.values(block, paths))
  // One query of all blocks: what observes several would be a tenth of the code of the list. Blocks that were read are cached.
  const { data: read } = useQuery({
    queryKey: ['run-values of rows', ...queries.map(({ queryKey }) => queryKey)],
    queryFn: async () => ({
      columnIds: jsonColumns.map(({ id }) => id),
      rows: await Promise.all(blocks.map((block, at) => readBlock(queryClient, block, queries[at]))),
    }),
    enabled: blocks.length > 0,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    // The blocks are cached, and one that failed is read again when the list is opened again.
    gcTime: 0,
    meta: { quiet: true },
  })
  return useMemo(() => {
    const byRun = new Map(read?.rows.flat())
    // While other columns load, those of before are shown.
    const indexById = new Map(read?.columnIds.map((id, index) => [id, index]))
    return (runId, columnId) => {
      const values = byRun.get(runId)
      const index = indexById.get(columnId)
      if (values === undefined || values instanceof Error) return values
      return index === undefined ? undefined : values[index]
    }
  }, [read])
}

type ReadRow = readonly [runId: string, values: readonly CellValue[] | Error]

/** The values of each run of a block; a block that could not be read does not affect the others. */
async function readBlock(
  queryClient: QueryClient,
  block: readonly Run[],
  query: ReturnType<typeof runStatsQuery.values> | undefined,
): Promise<ReadRow[]> {
  if (query === undefined) return []
  try {
    return (await queryClient.fetchQuery(query)).runs.map(({ id, values }) => [id, values])
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error))
    return block.map(({ id }) => [id, problem])
  }
}
