import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useDataset } from '#features/datasets/dataset-frame.tsx'
import { createChoicesByKey, isText } from '#lib/preferences.ts'
import { useNow, usePreference } from '#ui/hooks.tsx'
import { getDefaultColumns, listColumnChoices, parseColumns } from '../experiment-columns.ts'
import { arrangeExperiments, findExperiments, getRefreshMs } from '../experiment-list.ts'
import { toExperimentRow } from '../experiment-row.ts'
import { experimentQuery } from '../queries.ts'
import type { ExperimentsSearch } from '../search.ts'

/** Columns that the user chose, by dataset. */
export const columnsPreference = createChoicesByKey('experiment-columns', isText)

const NOW_MS = 30_000

export type Experiments = ReturnType<typeof useExperiments>

/** All experiments of a dataset, in the order and with the columns of the page. They are read again while the page is visible. */
export function useExperiments(datasetId: string, search: ExperimentsSearch, closed: ReadonlySet<string>) {
  const dataset = useDataset(datasetId).data
  const exampleCount = dataset?.example_count ?? undefined
  const now = useNow(NOW_MS)
  const list = useInfiniteQuery({
    ...experimentQuery.list(datasetId, search.filter),
    refetchInterval: ({ state }) => getRefreshMs(state.data?.pages.flat(), exampleCount),
    // The interval stops while the page is hidden.
    refetchOnWindowFocus: true,
  })
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])

  const pages = list.data?.pages
  const all = useMemo(
    () => (pages ?? []).flat().map((project) => toExperimentRow(project, { now, exampleCount })),
    [pages, now, exampleCount],
  )
  const baselineId = dataset?.baseline_experiment_id ?? null
  const baseline = all.find(({ id }) => id === baselineId)
  const { q, sort, group } = search
  const found = useMemo(() => findExperiments(all, q), [all, q])
  const rows = useMemo(
    () => arrangeExperiments(found, { sort, group, closed, baselineId: baseline?.id }),
    [found, sort, group, closed, baseline?.id],
  )
  const [saved] = usePreference(columnsPreference)
  const columns = useMemo(
    () => parseColumns(search.cols ?? saved[datasetId]) ?? getDefaultColumns(all),
    [search.cols, saved, datasetId, all],
  )
  const choices = useMemo(() => listColumnChoices(all), [all])
  return { list, dataset, baseline, baselineId, all, found, rows, columns, choices }
}
