import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { queueQuery } from '#features/annotation-queues/queries.ts'
import { datasetQuery } from '#features/datasets/queries.ts'
import { evaluatorQuery } from '#features/evaluators/queries.ts'
import { projectQuery } from '#features/projects/queries.ts'
import { useAllPages } from '#ui/hooks.tsx'
import type { NameOf } from './state.ts'

export interface Named {
  readonly id: string
  readonly name: string
}

/** The objects that rules name, for pickers and for names in their place. Lists are empty while they load. */
export function useNames() {
  const projects = useAllPages(useInfiniteQuery(projectQuery.names())).data?.pages.flat() ?? NONE
  const datasets = useAllPages(useInfiniteQuery(datasetQuery.list())).data?.pages.flat() ?? NONE
  const evaluators = useQuery(evaluatorQuery.list()).data ?? NONE
  const queues = useQuery(queueQuery.list()).data ?? NONE
  const lists = { evaluate: evaluators, add_to_dataset: datasets, add_to_queue: queues, feedback: NONE, tag: NONE }
  const nameOf: NameOf = (kind, id) => find(lists[kind], id)
  return {
    projects: projects as readonly Named[],
    datasets: datasets as readonly Named[],
    evaluators: evaluators as readonly Named[],
    queues: queues as readonly Named[],
    nameOf,
    projectName: (id: string) => find(projects, id) ?? id.slice(0, 8),
    datasetName: (id: string) => find(datasets, id) ?? id.slice(0, 8),
  }
}
export type Names = ReturnType<typeof useNames>

const NONE: readonly Named[] = []

const find = (list: readonly Named[], wanted: string) => list.find(({ id }) => id === wanted)?.name
