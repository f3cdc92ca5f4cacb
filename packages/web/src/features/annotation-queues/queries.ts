import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type {
  AnnotationQueue,
  AnnotationQueueItem,
  AnnotationQueueItemSection,
  AnnotationQueueProgress,
  CreateAnnotationQueueParams,
  Run,
  UpdateAnnotationQueueParams,
} from '@touchstone/sdk'
import {
  AnnotationQueueCalls,
  AnnotationQueueItemCalls,
  AnnotationReviewCalls,
  clientOf,
  DatasetCalls,
  RunCalls,
} from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import type { DatasetChoice } from './queue-settings.ts'
import type { QueueStatus } from './search.ts'

const client = clientOf(
  connection,
  AnnotationQueueCalls,
  AnnotationQueueItemCalls,
  AnnotationReviewCalls,
  DatasetCalls,
  RunCalls,
)

/** Most queues whose progress one request reads. */
const PROGRESS_AT_ONCE = 100
const ITEMS_PAGE = 50
const ITEM_FIELDS = (
  'id name run_type status start_time end_time error_preview inputs_preview outputs_preview derived_payloads trace_id session_id ' +
  'reference_example_id feedback_stats'
).split(' ')

/** An item of a queue with its run; without one, the item is a thread or its run is gone. */
export interface QueueItemRow {
  item: AnnotationQueueItem
  run: Run | undefined
}

export const queueQuery = {
  all: queryKeys.queues,
  /** The first 20 annotation queues whose name contains the text, newest first. */
  search: (text: string) =>
    queryOptions({
      queryKey: [...queueQuery.all(), 'search', text],
      queryFn: async ({ signal }): Promise<AnnotationQueue[]> => {
        const found: AnnotationQueue[] = []
        const filter = { nameContains: text || undefined, limit: 20 }
        for await (const queue of client.listAnnotationQueues(filter, { signal })) found.push(queue)
        return found
      },
    }),

  /** All queues, newest first. */
  list: () =>
    queryOptions({
      queryKey: [...queueQuery.all(), 'list'],
      queryFn: async ({ signal }): Promise<AnnotationQueue[]> => {
        const found: AnnotationQueue[] = []
        for await (const queue of client.listAnnotationQueues({}, { signal })) found.push(queue)
        return found
      },
    }),

  /** The progress of queues for the caller, by id. */
  progress: (ids: readonly string[]) =>
    queryOptions({
      queryKey: [...queueQuery.all(), 'progress', ids],
      queryFn: async ({ signal }): Promise<Map<string, AnnotationQueueProgress>> => {
        const found = new Map<string, AnnotationQueueProgress>()
        for (let from = 0; from < ids.length; from += PROGRESS_AT_ONCE) {
          const some = ids.slice(from, from + PROGRESS_AT_ONCE)
          for (const one of await client.readAnnotationQueueProgress(some, { signal })) found.set(one.queue_id, one)
        }
        return found
      },
      placeholderData: keepPreviousData,
      meta: { quiet: true },
    }),

  /** Names of the datasets that receive corrections, by id. */
  datasetNames: (ids: readonly string[]) =>
    queryOptions({
      queryKey: [...queryKeys.datasets(), 'names', ids],
      queryFn: async ({ signal }) => {
        const found = ids.length === 0 ? [] : await client.queryDatasets({ id: [...ids], limit: 100 }, { signal })
        return new Map(found.map(({ id, name }) => [id, name]))
      },
      staleTime: 60_000,
      meta: { quiet: true },
    }),

  one: (queueId: string) =>
    queryOptions({
      queryKey: [...queueQuery.all(), 'one', queueId],
      queryFn: ({ signal }) => client.readAnnotationQueue(queueId, { signal }),
      staleTime: 30_000,
    }),

  /** Items of a section in the caller's order, with their runs. */
  items: (queueId: string, status: QueueStatus) =>
    infiniteQueryOptions({
      queryKey: [...queueQuery.all(), 'items', queueId, status],
      queryFn: async ({ pageParam, signal }) => {
        const page = await client.queryAnnotationQueueItems(
          queueId,
          { status: toSection(status), cursor: pageParam, pageSize: ITEMS_PAGE },
          { signal },
        )
        return { rows: await withRuns(page.items, signal), next: page.next_cursor ?? undefined }
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next,
    }),

  /** How far reviewers agree, by question. */
  agreement: (queueId: string) =>
    queryOptions({
      queryKey: [...queueQuery.all(), 'agreement', queueId],
      queryFn: ({ signal }) => client.readAnnotationQueueAgreement(queueId, { signal }),
    }),
}

/** The items API calls completed items archived. */
export function toSection(status: QueueStatus): AnnotationQueueItemSection {
  return status === 'completed' ? 'archived' : status
}

/** Adds the runs of items, without payloads, in one request. */
export async function withRuns(items: readonly AnnotationQueueItem[], signal: AbortSignal): Promise<QueueItemRow[]> {
  const ids = items.flatMap(({ run_id }) => run_id ?? [])
  if (ids.length === 0) return items.map((item) => ({ item, run: undefined }))
  const { runs } = await client.queryRuns({ id: ids, select: ITEM_FIELDS, limit: ids.length }, { signal })
  const byId = new Map(runs.map((run) => [run.id, run]))
  return items.map((item) => ({ item, run: item.run_id === null ? undefined : byId.get(item.run_id) }))
}

interface QueueChange {
  id: string
  change: UpdateAnnotationQueueParams
  /** What the change is based on. */
  expected?: UpdateAnnotationQueueParams
}

export const queueMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: (params: CreateAnnotationQueueParams) => client.createAnnotationQueue(params),
    onSuccess: () => refreshQueues(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    mutationFn: ({ id, change, expected }: QueueChange) => client.updateAnnotationQueue(id, { ...change, expected }),
    /** Also after a failure: others may have changed the queue. */
    onSettled: () => refreshQueues(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deleteAnnotationQueue(id),
    onSettled: () => refreshQueues(queryClient),
  }),
  removeItems: (queryClient: QueryClient) => ({
    mutationFn: ({ queueId, itemIds }: { queueId: string; itemIds: readonly string[] }) =>
      client.deleteAnnotationQueueItems(queueId, itemIds),
    onSettled: () => refreshQueues(queryClient),
  }),
  /** Assigns and releases reviewers one after the other. */
  assign: (queryClient: QueryClient) => ({
    mutationFn: async ({ id, add, remove }: { id: string; add: readonly string[]; remove: readonly string[] }) => {
      for (const one of add) await client.addAnnotationQueueReviewer(id, one)
      for (const one of remove) await client.removeAnnotationQueueReviewer(id, one)
    },
    onSettled: () => refreshQueues(queryClient),
  }),
}

/** The id of the dataset of a choice; undefined for none. @throws Error when no dataset has the name */
export async function findDatasetId(choice: DatasetChoice): Promise<string | undefined> {
  if ('id' in choice) return choice.id
  const name = choice.name.trim()
  if (name === '') return undefined
  const [found] = await client.queryDatasets({ name, limit: 1 })
  if (found === undefined) throw new Error(`No dataset has the name ${name}. Choose one of the suggested datasets.`)
  return found.id
}

/** Completed runs of a queue with their feedback, as the text of a CSV file for spreadsheets. */
export function exportQueue(queueId: string): Promise<string> {
  return client.exportAnnotationQueue(queueId, { includeAnnotatorDetail: true, for: 'spreadsheet' })
}

/** Makes all lists, items and figures of queues stale. */
export function refreshQueues(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: queueQuery.all() })
}

/** What can be added to an annotation queue: runs, a whole thread, or all runs of experiments. */
export type ReviewTarget =
  | { runIds: readonly string[] }
  | { thread: { projectId: string; threadId: string } }
  | { experimentIds: readonly string[]; runCount: number }

/** Adds runs, a thread or experiments to the queue of this name and creates the queue if needed. Items already in it keep their position. */
export async function addToQueue(queryClient: QueryClient, name: string, target: ReviewTarget): Promise<string> {
  const { value: found } = await client.listAnnotationQueues({ name, limit: 1 }).next()
  const queue: AnnotationQueue = found ?? (await client.createAnnotationQueue({ name }))
  if ('thread' in target) await client.addThreadsToAnnotationQueue(queue.id, [target.thread])
  else if ('runIds' in target) await client.addRunsToAnnotationQueue(queue.id, target.runIds)
  else await client.populateAnnotationQueue(queue.id, { projectIds: [...target.experimentIds] })
  void queryClient.invalidateQueries({ queryKey: queueQuery.all() })
  return queue.id
}
