import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Feedback, FeedbackConfig } from '@touchstone/sdk'
import { clientOf, FeedbackCalls, RunCalls } from '@touchstone/sdk/api'
import { patchRun } from '#features/runs/queries.ts'
import { connection, openShareLink } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { deferWithUndo } from '#lib/browser.ts'
import { createStore } from '#lib/store.ts'

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

/** What feedback is about: a run, read through a public link if there is a token, or a thread of a project. */
export type FeedbackTarget =
  | { readonly runId: string; readonly share?: string | undefined }
  | { readonly projectId: string; readonly threadId: string }

const PAGE_SIZE = 100

export const feedbackQuery = {
  /** All feedback on a run or a thread, newest first. */
  of: listOf,
  /** All feedback on a run, newest first. @param share  token of the public link to read through */
  ofRun: (runId: string, share?: string) => listOf({ runId, share }),
}

function listOf(target: FeedbackTarget) {
  return queryOptions({
    queryKey: ['feedback', target],
    queryFn: async ({ signal }): Promise<Feedback[]> => {
      const records = 'runId' in target ? await readOfRun(target, signal) : await readOfThread(target, signal)
      return records.filter(({ id }) => !pendingDeletions.read().includes(id))
    },
  })
}

async function readOfRun({ runId, share }: Extract<FeedbackTarget, { runId: string }>, signal: AbortSignal) {
  const reader = share === undefined ? client : openShareLink(share)
  const records: Feedback[] = []
  for await (const record of reader.listFeedback({ runIds: [runId] }, { signal })) records.push(record)
  return records
}

async function readOfThread(
  { projectId, threadId }: Extract<FeedbackTarget, { threadId: string }>,
  signal: AbortSignal,
) {
  const records: Feedback[] = []
  for (;;) {
    const query = { session: [projectId], feedback_thread_id: threadId, limit: PAGE_SIZE, offset: records.length }
    const page = await client.queryFeedback(query, { signal })
    records.push(...page)
    if (page.length < PAGE_SIZE) return records
  }
}

/** @param config  stored for the key if it has none yet */
export async function createFeedback(
  queryClient: QueryClient,
  target: FeedbackTarget,
  { key, ...input }: FeedbackInput,
  config?: FeedbackConfig,
): Promise<void> {
  const about = 'runId' in target ? { runId: target.runId } : target
  await client.createFeedback({ ...about, key, ...input, feedbackConfig: config, feedbackSourceType: 'app' })
  await refreshFeedback(queryClient, target)
}

/** The record as it is stored now. */
export const readFeedback = (id: string): Promise<Feedback> => client.readFeedback(id)

export type FeedbackChange = Parameters<typeof client.updateFeedback>[1]

/** @param record  the record as it was read, which the change is based on */
export async function updateFeedback(
  queryClient: QueryClient,
  record: Feedback,
  change: FeedbackChange,
): Promise<void> {
  await client.updateFeedback(record.id, change)
  await Promise.all(listTargets(record).map((target) => refreshFeedback(queryClient, target)))
}

/**
 * Removes a record from the screen at once, and from the server after 5 s unless it is undone.
 *
 * @returns a function that undoes the deletion within these 5 s
 */
export function deleteFeedback(
  queryClient: QueryClient,
  record: Feedback,
  onFailure: (cause: unknown) => void,
): () => void {
  const { id } = record
  const targets = listTargets(record)
  pendingDeletions.write([...pendingDeletions.read(), id])
  for (const target of targets) {
    queryClient.setQueryData(feedbackQuery.of(target).queryKey, (records) => records?.filter((one) => one.id !== id))
  }
  const settle = () => {
    pendingDeletions.write(pendingDeletions.read().filter((one) => one !== id))
    return Promise.all(targets.map((target) => refreshFeedback(queryClient, target)))
  }
  const cancel = deferWithUndo(() => void client.deleteFeedback(id).catch(onFailure).finally(settle))
  return () => {
    cancel()
    void settle()
  }
}

/** A record on a run can be marked as feedback on the thread of the run. */
function listTargets({
  run_id: runId,
  session_id: projectId,
  feedback_thread_id: threadId,
}: Feedback): FeedbackTarget[] {
  return [...(runId === null ? [] : [{ runId }]), ...(projectId && threadId ? [{ projectId, threadId }] : [])]
}

/** Refreshes the feedback of a run or a thread, also in the rows of every list that shows it. */
async function refreshFeedback(queryClient: QueryClient, target: FeedbackTarget): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: feedbackQuery.of(target).queryKey }),
    'runId' in target ? refreshRun(queryClient, target.runId) : refreshThreadLists(queryClient, target.projectId),
  ])
}

async function refreshRun(queryClient: QueryClient, runId: string): Promise<void> {
  const select = ['id', 'feedback_stats', 'session_id']
  const { runs } = await client.queryRuns({ id: [runId], select, limit: 1 })
  const [run] = runs
  if (run === undefined) return
  patchRun(queryClient, runId, { feedback_stats: run.feedback_stats ?? null })
  await refreshThreadLists(queryClient, run.session_id)
}

function refreshThreadLists(queryClient: QueryClient, projectId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: queryKeys.threadListsOfProject(projectId) })
}
