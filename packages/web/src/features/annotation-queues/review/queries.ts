import { type QueryClient, queryOptions } from '@tanstack/react-query'
import * as routes from '@touchstone/contract/routes'
import type { JsonRecord } from '@touchstone/formats/guards'
import { indentJson } from '@touchstone/formats/locate-json'
import type { AnnotationQueueItem } from '@touchstone/sdk'
import { AnnotationQueueItemCalls, AnnotationReviewCalls, clientOf, FeedbackCalls } from '@touchstone/sdk/api'
import { feedbackQuery } from '#features/feedback/queries.ts'
import { connection, readBytes } from '#lib/api/client.ts'
import { type QueueItemRow, withRuns } from '../queries.ts'
import type { Answer } from '../rubric/rubric.ts'
import { splitPairAnswer } from './logic/pairs.ts'
import {
  CORRECTION_KEY,
  findMine,
  isEmpty,
  parseCorrection,
  type ReviewRecord,
  readRecords,
  toSubject,
  withMine,
} from './logic/review-records.ts'

const client = clientOf(connection, AnnotationQueueItemCalls, AnnotationReviewCalls, FeedbackCalls)

/** Items read ahead. */
export const WAITING = 20
const MAX_RECORDS = 100

export const reviewQuery = {
  all: () => ['reviews'] as const,

  /** The next items that need the caller's review, in the caller's order. */
  waiting: (queueId: string) =>
    queryOptions({
      queryKey: [...reviewQuery.all(), 'waiting', queueId],
      queryFn: async ({ signal, client: queryClient }): Promise<QueueItemRow[]> => {
        const query = { status: 'needs_my_review', pageSize: WAITING } as const
        const { items } = await client.queryAnnotationQueueItems(queueId, query, { signal })
        const rows = await withRuns(items, signal)
        for (const row of rows) queryClient.setQueryData(reviewQuery.item(queueId, row.item.id).queryKey, row)
        return rows
      },
      staleTime: 0,
      gcTime: 0,
      meta: { quiet: true },
    }),

  /** One item with its run. */
  item: (queueId: string, itemId: string) =>
    queryOptions({
      queryKey: [...reviewQuery.all(), 'item', queueId, itemId],
      queryFn: async ({ signal }): Promise<QueueItemRow> => {
        const { section, cursor } = await client.readAnnotationQueueItemPlacement(queueId, itemId, { signal })
        const query = { status: section, cursor, pageSize: 1 }
        const { items } = await client.queryAnnotationQueueItems(queueId, query, { signal })
        const [row] = await withRuns(
          items.filter(({ id }) => id === itemId),
          signal,
        )
        if (row === undefined) throw new Error('The item moved while it was read. Try again.')
        return row
      },
      staleTime: Number.POSITIVE_INFINITY,
      meta: { quiet: true },
    }),

  /**
   * What was said about an item, newest first. Answers are written to this cache first, then stored.
   *
   * @param authorId  id of the reviewer; null on a server without accounts
   */
  records: (item: AnnotationQueueItem, authorId: string | null) =>
    queryOptions({
      queryKey: [...reviewQuery.all(), 'records', item.id, authorId],
      queryFn: async ({ signal }): Promise<ReviewRecord[]> => {
        const subject = toSubject(item)
        const where =
          'runId' in subject
            ? { run: [subject.runId] }
            : { session: [subject.projectId], feedback_thread_id: subject.threadId }
        const query = { ...where, limit: MAX_RECORDS }
        return readRecords(new TextDecoder().decode(await readBytes(routes.feedback.list, { query, signal })), authorId)
      },
      staleTime: Number.POSITIVE_INFINITY,
      meta: { quiet: true },
    }),
}

/** A reviewer at work on an item. */
export interface ReviewPlace {
  queryClient: QueryClient
  item: AnnotationQueueItem
  authorId: string | null
}

/** Stores which of two runs is better, as scores of both. */
export async function writePairAnswer(place: ReviewPlace, partner: AnnotationQueueItem, key: string, answer: Answer) {
  const [own, others] = splitPairAnswer(answer)
  await writeAnswer(place, key, own)
  const partnerPlace = { ...place, item: partner }
  await place.queryClient.ensureQueryData(reviewQuery.records(partner, place.authorId))
  await writeAnswer(partnerPlace, key, others)
}

/** Changes what the reviewer sees; `writeAnswer` stores it. */
export function showAnswer({ queryClient, item, authorId }: ReviewPlace, key: string, answer: Answer): void {
  const { queryKey } = reviewQuery.records(item, authorId)
  queryClient.setQueryData(queryKey, (records) => withMine(records ?? [], key, { answer }))
}

/** Stores an answer as feedback of the app; an empty one deletes it. */
export async function writeAnswer(place: ReviewPlace, key: string, answer: Answer): Promise<void> {
  const { score, value, comment } = answer
  const id = findId(place, key)
  if (isEmpty(answer)) {
    if (id === undefined) return
    await client.deleteFeedback(id)
    noteId(place, key, undefined)
  } else if (id === undefined) {
    await createRecord(place, key, { score, value, comment })
  } else {
    await client.updateFeedback(id, { score: score ?? null, value: value ?? null, comment: comment ?? null })
  }
  refreshRun(place)
}

/** Stores the corrected output of a run, a JSON text, as the correction of a feedback record; undefined takes it back. */
export async function writeCorrection(place: ReviewPlace, text: string | undefined): Promise<void> {
  const id = findId(place, CORRECTION_KEY)
  const outputs = text === undefined ? undefined : readOutputs(text)
  if (outputs === undefined) {
    if (id !== undefined) await client.deleteFeedback(id)
    noteId(place, CORRECTION_KEY, undefined)
  } else if (id === undefined) await createRecord(place, CORRECTION_KEY, { correction: outputs })
  else await client.updateFeedback(id, { correction: outputs })
  const { queryKey } = reviewQuery.records(place.item, place.authorId)
  place.queryClient.setQueryData(queryKey, (records) =>
    withMine(records ?? [], CORRECTION_KEY, { correction: text && indentJson(text) }),
  )
  refreshRun(place)
}

type Content = {
  score?: number | undefined
  value?: string | undefined
  comment?: string | undefined
  correction?: object
}

async function createRecord(place: ReviewPlace, key: string, content: Content): Promise<void> {
  const { queue_id, id } = place.item
  const created = await client.createFeedback({
    ...toSubject(place.item),
    key,
    ...content,
    feedbackSourceType: 'app',
    sourceInfo: { annotation_queue_id: queue_id, annotation_queue_item_id: id },
  })
  noteId(place, key, created.id)
}

function findId({ queryClient, item, authorId }: ReviewPlace, key: string): string | undefined {
  return findMine(queryClient.getQueryData(reviewQuery.records(item, authorId).queryKey), key)?.id
}

function noteId({ queryClient, item, authorId }: ReviewPlace, key: string, id: string | undefined): void {
  const { queryKey } = reviewQuery.records(item, authorId)
  queryClient.setQueryData(queryKey, (records) => withMine(records ?? [], key, { id }))
}

/** Other pages read the feedback of the run again when they are opened. */
function refreshRun({ queryClient, item }: ReviewPlace): void {
  if (item.run_id === null) return
  void queryClient.invalidateQueries({ queryKey: feedbackQuery.ofRun(item.run_id).queryKey, refetchType: 'none' })
}

/** Reserves an item, completes the caller's part, or frees it. `postpone` moves it to the end for the caller. */
export async function setReviewStatus(
  itemId: string,
  status: 'viewed' | 'completed' | null,
  { postpone = false }: { postpone?: boolean } = {},
): Promise<void> {
  await client.reviewAnnotationQueueItem(itemId, {
    status,
    overrideAddedAt: postpone ? new Date() : undefined,
  })
}

/** Writes a run, with its corrected output, into the default dataset of the queue; once more replaces the example. */
export async function addItemToDataset({
  queryClient,
  item,
  authorId,
}: ReviewPlace): Promise<{ isCorrected: boolean }> {
  const records = queryClient.getQueryData(reviewQuery.records(item, authorId).queryKey)
  const correction = findMine(records, CORRECTION_KEY)?.correction
  const outputs = correction === undefined ? undefined : readOutputs(correction)
  await client.addExampleFromAnnotationQueue(item.queue_id, item.id, { outputs })
  return { isCorrected: outputs !== undefined }
}

function readOutputs(text: string): JsonRecord {
  const parsed = parseCorrection(text)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  return parsed.outputs
}
