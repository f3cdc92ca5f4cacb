import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Feedback, FeedbackConfig, Run } from '@touchstone/sdk'
import { putOff } from '#lib/put-off.ts'
import { client } from './client.ts'
import { patchRun } from './patch-run.ts'

/** What somebody says of a run. */
export interface Verdict {
  key: string
  score?: number | undefined
  value?: string | undefined
  comment?: string | undefined
  correction?: object | string | undefined
}

/** Feedback with this key is a note: words without a score. */
export const NOTE = 'note'

/** Deleted a moment ago, and not yet on the server: it can still be undone. */
const leaving = new Set<string>()

export const feedbackQuery = {
  /** All feedback on a run, newest first. */
  ofRun: (runId: string) =>
    queryOptions({
      queryKey: ['feedback', runId],
      queryFn: async ({ signal }): Promise<Feedback[]> => {
        const records: Feedback[] = []
        for await (const record of client.listFeedback({ runIds: [runId] }, { signal })) records.push(record)
        return records.filter(({ id }) => !leaving.has(id))
      },
    }),
}

/** @param config  recorded for the key when it has none yet */
export async function giveFeedback(
  queryClient: QueryClient,
  runId: string,
  { key, ...said }: Verdict,
  config?: FeedbackConfig,
): Promise<void> {
  await client.createFeedback({ runId, key, ...said, feedbackConfig: config, feedbackSourceType: 'app' })
  await showFeedback(queryClient, runId)
}

export async function changeFeedback(
  queryClient: QueryClient,
  record: Feedback,
  change: Omit<Verdict, 'key'>,
): Promise<void> {
  await client.updateFeedback(record.id, change)
  if (record.run_id !== null) await showFeedback(queryClient, record.run_id)
}

/**
 * Takes a record off the screen, and off the server unless it is undone in time.
 *
 * @returns what brings it back, within 5 s
 */
export function deleteFeedback(
  queryClient: QueryClient,
  { id, run_id: runId }: Feedback,
  onFailure: (cause: unknown) => void,
): () => void {
  const list = feedbackQuery.ofRun(runId ?? '').queryKey
  leaving.add(id)
  queryClient.setQueryData(list, (records) => records?.filter((one) => one.id !== id))
  const settle = () => {
    leaving.delete(id)
    return showFeedback(queryClient, runId ?? '')
  }
  const callOff = putOff(() => void client.deleteFeedback(id).catch(onFailure).finally(settle))
  return () => {
    callOff()
    void settle()
  }
}

/** Reads anew what is thought of a run, here and in the rows of every list that shows it. */
async function showFeedback(queryClient: QueryClient, runId: string): Promise<void> {
  const figures = client.queryRuns({ id: [runId], select: ['id', 'feedback_stats'], limit: 1 })
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: feedbackQuery.ofRun(runId).queryKey }),
    figures.then(({ runs: [run] }) => run && patchRun(queryClient, runId, statsOf(run))),
  ])
}

const statsOf = ({ feedback_stats }: Run): Partial<Run> => ({ feedback_stats: feedback_stats ?? null })
