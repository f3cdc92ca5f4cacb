import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { BulkAction, BulkCount, BulkJob, BulkStart } from '@touchstone/sdk'
import { AnnotationQueueCalls, BulkJobCalls, clientOf, DatasetCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, BulkJobCalls, DatasetCalls, AnnotationQueueCalls)

/** Which runs a bulk action is about: conditions as a query takes them, or ids. */
export type BulkRuns = Omit<BulkStart, 'action'>

/** What an action needs beside the runs. */
export type BulkWish =
  | {
      action: 'add_to_dataset'
      dataset: string
      split: string
      /** Of the inputs and outputs, these keys alone. @default all */
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
/** Jobs that were begun here, or seen going on: their end is news. */
export const awaitedJobs = new Set<string>()

/** How often jobs are asked about while one of them goes on. */
const BUSY_MS = 1_000

export const bulkQuery = {
  /** Counted by the server, when it is asked. */
  count: (action: BulkAction, runs: BulkRuns) =>
    queryOptions({
      queryKey: ['bulk', 'count', action, runs],
      queryFn: ({ signal }) => client.countBulk({ ...runs, action }, { signal }),
      staleTime: 0,
      gcTime: 0,
      meta: { quiet: true },
    }),

  /** The newest jobs; followed while one of them goes on. */
  jobs: () =>
    queryOptions({
      queryKey: ['jobs', 'list'],
      queryFn: async ({ signal }) => (await client.listJobs({ limit: JOBS_SHOWN }, { signal })).jobs,
      refetchInterval: (query) => (query.state.data?.some(isGoingOn) ? BUSY_MS : false),
      staleTime: 10_000,
      meta: { quiet: true },
    }),

  job: (id: string) =>
    queryOptions({
      queryKey: ['jobs', 'one', id],
      queryFn: ({ signal }) => client.readJob(id, { signal }),
      meta: { quiet: true },
    }),
}

export function isGoingOn({ status }: BulkJob): boolean {
  return status === 'waiting' || status === 'running'
}

/**
 * Begins what was counted: no run that came later is touched. Datasets and queues are named, and made when there is none
 * of that name.
 */
export async function startBulk(
  queryClient: QueryClient,
  runs: BulkRuns,
  wish: BulkWish,
  counted: BulkCount,
): Promise<BulkJob> {
  const expected_total = wish.action === 'delete' ? counted.traces : counted.runs
  const job = await client.startBulk({ ...runs, ...(await bodyOf(wish)), as_of: counted.as_of, expected_total })
  awaitedJobs.add(job.id)
  await queryClient.invalidateQueries({ queryKey: ['jobs'] })
  return job
}

export async function cancelJob(queryClient: QueryClient, id: string): Promise<void> {
  await client.cancelJob(id)
  await queryClient.invalidateQueries({ queryKey: ['jobs'] })
}

/** Takes back the examples that a job added. */
export async function undoJob(queryClient: QueryClient, id: string): Promise<void> {
  awaitedJobs.add((await client.undoJob(id)).id)
  await queryClient.invalidateQueries({ queryKey: ['jobs'] })
}

async function bodyOf(wish: BulkWish): Promise<Omit<BulkStart, 'id'>> {
  if (wish.action === 'add_to_dataset') {
    const [found] = await client.queryDatasets({ name: wish.dataset, limit: 1 })
    const { id } = found ?? (await client.createDataset(wish.dataset))
    return {
      action: wish.action,
      dataset_id: id,
      split: wish.split,
      ...(wish.keys && { input_keys: wish.keys.inputs, output_keys: wish.keys.outputs }),
    }
  }
  if (wish.action === 'add_to_queue') {
    const { value: found } = await client.listAnnotationQueues({ name: wish.queue, limit: 1 }).next()
    const { id } = found ?? (await client.createAnnotationQueue({ name: wish.queue }))
    return { action: wish.action, queue_id: id }
  }
  return wish
}
