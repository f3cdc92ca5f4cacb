import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Feedback, FeedbackConfig, Run } from '@touchstone/sdk'
import { clientOf, FeedbackCalls, RunCalls } from '@touchstone/sdk/api'
import { putOff } from '#lib/browser/defer-with-undo.ts'
import { connection } from './client.ts'
import { patchRun } from './patch-run.ts'
import { readBytes } from './traces.ts'

const client = clientOf(connection, FeedbackCalls, RunCalls)

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
  /** All feedback on a run, newest first; through a public link where `share` is its token. */
  ofRun: (runId: string, share?: string) =>
    queryOptions({
      queryKey: share === undefined ? ['feedback', runId] : ['feedback', runId, share],
      queryFn: async ({ signal }): Promise<Feedback[]> => {
        if (share !== undefined) return readPublicFeedback(share, runId, signal)
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

async function readPublicFeedback(share: string, runId: string, signal: AbortSignal): Promise<Feedback[]> {
  const records: Feedback[] = []
  for (;;) {
    const bytes = await readBytes(`/feedbacks?run=${runId}&limit=100&offset=${records.length}`, signal, share)
    const page = JSON.parse(new TextDecoder().decode(bytes)) as Feedback[]
    records.push(...page)
    if (page.length < 100) return records
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
