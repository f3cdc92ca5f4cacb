import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Feedback, FeedbackConfig } from '@touchstone/sdk'
import { clientOf, FeedbackCalls, RunCalls } from '@touchstone/sdk/api'
import { deferWithUndo } from '#lib/browser.ts'
import { createStore } from '#lib/store.ts'
import { connection, openShareLink } from './client.ts'
import { patchRun } from './runs.ts'

const client = clientOf(connection, FeedbackCalls, RunCalls)

/** Feedback that a user gives on a run. */
export interface FeedbackInput {
  key: string
  score?: number | undefined
  value?: string | undefined
  comment?: string | undefined
  correction?: object | string | undefined
}

/** Feedback with this key is a note: a comment without a score. */
export const NOTE = 'note'

/** Ids of records that were deleted here but not yet on the server, because the deletion can still be undone. */
const pendingDeletions = createStore<readonly string[]>(() => [])

export const feedbackQuery = {
  /** All feedback on a run, newest first. @param share  token of the public link to read through */
  ofRun: (runId: string, share?: string) =>
    queryOptions({
      queryKey: share === undefined ? ['feedback', runId] : ['feedback', runId, share],
      queryFn: async ({ signal }): Promise<Feedback[]> => {
        const reader = share === undefined ? client : openShareLink(share)
        const records: Feedback[] = []
        for await (const record of reader.listFeedback({ runIds: [runId] }, { signal })) records.push(record)
        return records.filter(({ id }) => !pendingDeletions.read().includes(id))
      },
    }),
}

/** @param config  stored for the key if it has none yet */
export async function createFeedback(
  queryClient: QueryClient,
  runId: string,
  { key, ...input }: FeedbackInput,
  config?: FeedbackConfig,
): Promise<void> {
  await client.createFeedback({ runId, key, ...input, feedbackConfig: config, feedbackSourceType: 'app' })
  await refreshFeedback(queryClient, runId)
}

export async function updateFeedback(
  queryClient: QueryClient,
  record: Feedback,
  change: Omit<FeedbackInput, 'key'>,
): Promise<void> {
  await client.updateFeedback(record.id, change)
  if (record.run_id !== null) await refreshFeedback(queryClient, record.run_id)
}

/**
 * Removes a record from the screen at once, and from the server after 5 s unless it is undone.
 *
 * @returns a function that undoes the deletion within these 5 s
 */
export function deleteFeedback(
  queryClient: QueryClient,
  { id, run_id: runId }: Feedback,
  onFailure: (cause: unknown) => void,
): () => void {
  const list = feedbackQuery.ofRun(runId ?? '').queryKey
  pendingDeletions.write([...pendingDeletions.read(), id])
  queryClient.setQueryData(list, (records) => records?.filter((one) => one.id !== id))
  const settle = () => {
    pendingDeletions.write(pendingDeletions.read().filter((one) => one !== id))
    return refreshFeedback(queryClient, runId ?? '')
  }
  const cancel = deferWithUndo(() => void client.deleteFeedback(id).catch(onFailure).finally(settle))
  return () => {
    cancel()
    void settle()
  }
}

/** Refreshes the feedback of a run, also in the rows of every list that shows the run. */
async function refreshFeedback(queryClient: QueryClient, runId: string): Promise<void> {
  const stats = client.queryRuns({ id: [runId], select: ['id', 'feedback_stats'], limit: 1 })
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: feedbackQuery.ofRun(runId).queryKey }),
    stats.then(
      ({ runs: [run] }) => run && patchRun(queryClient, runId, { feedback_stats: run.feedback_stats ?? null }),
    ),
  ])
}
