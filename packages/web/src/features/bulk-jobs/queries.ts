import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { BulkAction, BulkCount, BulkJob, BulkStart } from '@touchstone/sdk'
import { AnnotationQueueCalls, BulkJobCalls, clientOf, DatasetCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { createStore } from '#lib/store.ts'

const client = clientOf(connection, BulkJobCalls, DatasetCalls, AnnotationQueueCalls)

/** The runs of a bulk action: conditions of a run query, or ids. */
export type BulkRuns = Omit<BulkStart, 'action'>

/** The parameters of a bulk action, apart from its runs. */
export type BulkRequest =
  | {
      action: 'add_to_dataset'
      dataset: string
      split: string
      /** Keys of the inputs and outputs to copy. @default all */
      keys?: { inputs: string[]; outputs: string[] } | undefined
    }
  | { action: 'add_to_queue'; queue: string }
  | {
      action: 'export'
      format: 'jsonl' | 'csv' | 'parquet'
      for?: 'spreadsheet' | undefined
      select?: string[] | undefined
    }
  | { action: 'delete' }

const JOBS_SHOWN = 10
/** Ids of jobs that this page started or saw running. */
export const watchedJobs = createStore<readonly string[]>(() => [])

/** Remembers a job that this page started or saw running, so that its end is announced. */
export function watchJob(id: string): void {
  if (!watchedJobs.read().includes(id)) watchedJobs.write([...watchedJobs.read(), id])
}

/** @returns whether the job was watched */
export function unwatchJob(id: string): boolean {
  const isWatched = watchedJobs.read().includes(id)
  watchedJobs.write(watchedJobs.read().filter((one) => one !== id))
  return isWatched
}

/** Refreshes everything that a finished job may have changed. Costs are shown on most pages. */
export function invalidateAfterJob(queryClient: QueryClient, { action }: BulkJob): void {
  if (changesCosts(action)) {
    const isOfJobs = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] === bulkQuery.allJobs()[0]
    void queryClient.invalidateQueries({ predicate: (query) => !isOfJobs(query) })
    return
  }
  const { runs, threads, projects, datasets, queues } = queryKeys
  for (const key of [runs(), threads(), projects(), datasets(), queues()]) {
    void queryClient.invalidateQueries({ queryKey: key })
  }
}

/** Polling interval while a job is active. */
const BUSY_MS = 1_000

export const bulkQuery = {
  allJobs: () => ['jobs'] as const,
  /** How many runs the action would change now. */
  count: (action: BulkAction, runs: BulkRuns) =>
    queryOptions({
      queryKey: ['bulk', 'count', action, runs],
      queryFn: ({ signal }) => client.countBulk({ ...runs, action }, { signal }),
      staleTime: 0,
      gcTime: 0,
      meta: { quiet: true },
    }),

  /** The latest jobs, polled while one of them is active. */
  jobs: () =>
    queryOptions({
      queryKey: [...bulkQuery.allJobs(), 'list'],
      queryFn: async ({ signal }) => (await client.listJobs({ limit: JOBS_SHOWN }, { signal })).jobs,
      refetchInterval: (query) => (query.state.data?.some(isActiveJob) ? BUSY_MS : false),
      staleTime: 10_000,
      meta: { quiet: true },
    }),

  job: (id: string) =>
    queryOptions({
      queryKey: [...bulkQuery.allJobs(), 'one', id],
      queryFn: ({ signal }) => client.readJob(id, { signal }),
      meta: { quiet: true },
    }),
}

export const changesCosts = (action: BulkJob['action']) => action === 'reprice' || action === 'restore_costs'

export function isActiveJob({ status }: BulkJob): boolean {
  return status === 'waiting' || status === 'running'
}

/**
 * Starts the action on the counted runs; later runs are not included. A dataset or queue is found by its name, or created.
 */
export async function startBulk(
  queryClient: QueryClient,
  runs: BulkRuns,
  request: BulkRequest,
  counted: BulkCount,
): Promise<BulkJob> {
  const expected_total = request.action === 'delete' ? counted.traces : counted.runs
  const job = await client.startBulk({ ...runs, ...(await toBody(request)), as_of: counted.as_of, expected_total })
  watchJob(job.id)
  await queryClient.invalidateQueries({ queryKey: bulkQuery.allJobs() })
  return job
}

export async function cancelJob(queryClient: QueryClient, id: string): Promise<void> {
  await client.cancelJob(id)
  await queryClient.invalidateQueries({ queryKey: bulkQuery.allJobs() })
}

/** Removes the examples that a job added. */
export async function undoJob(queryClient: QueryClient, id: string): Promise<void> {
  watchJob((await client.undoJob(id)).id)
  await queryClient.invalidateQueries({ queryKey: bulkQuery.allJobs() })
}

async function toBody(request: BulkRequest): Promise<Omit<BulkStart, 'id'>> {
  if (request.action === 'add_to_dataset') {
    const [found] = await client.queryDatasets({ name: request.dataset, limit: 1 })
    const { id } = found ?? (await client.createDataset(request.dataset))
    return {
      action: request.action,
      dataset_id: id,
      split: request.split,
      ...(request.keys && { input_keys: request.keys.inputs, output_keys: request.keys.outputs }),
    }
  }
  if (request.action === 'add_to_queue') {
    const { value: found } = await client.listAnnotationQueues({ name: request.queue, limit: 1 }).next()
    const { id } = found ?? (await client.createAnnotationQueue({ name: request.queue }))
    return { action: request.action, queue_id: id }
  }
  return request
}
