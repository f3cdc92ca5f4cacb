import { queryOptions } from '@tanstack/react-query'
import type { Run, RunValues } from '@touchstone/sdk'
import type { JsonPath } from '#lib/json/json-path.ts'
import { client } from './client.ts'

/** A value as a cell shows it; null where the run has none. */
export type CellValue = RunValues['runs'][number]['values'][number]

/** Values at some paths of some runs, at most 100; read anew for those that have finished since. */
export function runValuesQuery(runs: readonly Pick<Run, 'id' | 'status'>[], paths: readonly JsonPath[]) {
  return queryOptions({
    queryKey: ['run-values', runs.map(({ id, status }) => (status === 'pending' ? `${id}…` : id)), paths],
    queryFn: ({ signal }) =>
      client.queryRunValues({ id: runs.map(({ id }) => id), paths: paths as RunValuePaths }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { quiet: true },
  })
}

type RunValuePaths = Parameters<typeof client.queryRunValues>[0]['paths']
