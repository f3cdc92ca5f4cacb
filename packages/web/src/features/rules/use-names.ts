import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { queueQuery } from '#features/annotation-queues/queries.ts'
import { datasetQuery } from '#features/datasets/queries.ts'
import { evaluatorQuery } from '#features/evaluators/queries.ts'
import { channelQuery } from '#features/notifications/queries.ts'
import { projectQuery } from '#features/projects/queries.ts'
import { useAllPages } from '#ui/hooks.tsx'
import type { NameOf } from './state.ts'

export interface Named {
  readonly id: string
  readonly name: string
}

/** The objects that rules name, for pickers and for names in their place. Lists are empty while they load. */
export function useNames() {
  const projects = readAll(useAllPages(useInfiniteQuery(projectQuery.names())))
  const datasets = readAll(useAllPages(useInfiniteQuery(datasetQuery.list())))
  const evaluators = useQuery(evaluatorQuery.list()).data
  const queues = useQuery(queueQuery.list()).data
  const channels = useQuery(channelQuery.list()).data?.channels
  const lists = {
    evaluate: evaluators,
    add_to_dataset: datasets,
    add_to_queue: queues,
    notify: channels,
    feedback: NONE,
    tag: NONE,
  }
  const nameOf: NameOf = (kind, id) => find(lists[kind], id)
  return {
    projects: projects ?? NONE,
    datasets: datasets ?? NONE,
    evaluators: evaluators ?? NONE,
    queues: queues ?? NONE,
    channels: channels ?? NONE,
    nameOf,
    projectName: (id: string) => find(projects, id) ?? id.slice(0, 8),
    channelName: (id: string) => find(channels, id) ?? id.slice(0, 8),
    datasetName: (id: string) => find(datasets, id) ?? id.slice(0, 8),
  }
}
export type Names = ReturnType<typeof useNames>

const NONE: readonly Named[] = []

interface Paged {
  readonly data?: { readonly pages: readonly (readonly Named[])[] } | undefined
  readonly hasNextPage: boolean
}

/** Undefined until all pages are loaded. */
const readAll = ({ data, hasNextPage }: Paged): readonly Named[] | undefined =>
  hasNextPage ? undefined : data?.pages.flat()

/** What is in no complete list was deleted. */
function find(list: readonly Named[] | undefined, wanted: string): string | undefined {
  if (list === undefined) return undefined
  return list.find(({ id }) => id === wanted)?.name ?? `deleted (${wanted.slice(0, 8)})`
}
