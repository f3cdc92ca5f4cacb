import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { arrangeDatasets, listShownExperiments, toDatasetRow } from '../datasets-controller.ts'
import { datasetQuery } from '../queries.ts'
import type { DatasetsSearch } from '../search.ts'
import { datasetShareQuery } from '../sharing/queries.ts'

export type Datasets = ReturnType<typeof useDatasets>

/** Loads all datasets, then the figures of their newest experiments and their public links. */
export function useDatasets({ q, sort }: DatasetsSearch) {
  const list = useInfiniteQuery(datasetQuery.list())
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  const datasets = useMemo(() => list.data?.pages.flat() ?? [], [list.data])
  const ids = useMemo(() => listShownExperiments(datasets), [datasets])
  const experiments = useQuery({
    ...datasetQuery.experiments(ids),
    enabled: ids.length > 0 && !hasNextPage,
    placeholderData: (before) => before,
  })
  const links = useQuery(datasetShareQuery.links())
  const rows = useMemo(() => {
    const context = { experiments: experiments.data, tokens: links.data }
    return arrangeDatasets(
      datasets.map((dataset) => toDatasetRow(dataset, context)),
      { q, sort },
    )
  }, [datasets, experiments.data, links.data, q, sort])
  return { list, rows, total: datasets.length, experiments }
}
