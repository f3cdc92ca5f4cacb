import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AnnotationQueueItem, AnnotationQueueWithDetails } from '@touchstone/sdk'
import { useEffect, useMemo, useReducer, useState } from 'react'
import { traceQuery } from '#features/traces/queries.ts'
import { useStore } from '#lib/store.ts'
import { toast } from '#ui/toast.tsx'
import { type QueueItemRow, queueQuery } from '../queries.ts'
import { findFirstProblem, toQuestions } from '../rubric/rubric.ts'
import { type CorrectionDrafts, isUnsaved } from './logic/correction-drafts.ts'
import { isSwapped, toPairQuestions, toPairs } from './logic/pairs.ts'
import { EMPTY_SESSION, findLastDone, getOpenItem, isLow, listNext, reduceSession } from './logic/review-session.ts'
import { type ReviewPlace, reviewQuery, WAITING } from './queries.ts'
import { useAnswers } from './use-answers.ts'
import { useReservation, useStatusCalls } from './use-reservation.ts'

interface ReviewOptions {
  queue: AnnotationQueueWithDetails
  authorId: string | null
  /** The item of the URL. */
  itemId: string | undefined
  drafts: CorrectionDrafts<ReviewPlace>
}

/** Items whose content is loaded ahead. */
const PREFETCHED = 2
/** More items are read when fewer wait that were not shown yet. */
const FEW = 5

/** One walk of a reviewer through the items that need their review. */
export function useReview({ queue, authorId, itemId, drafts }: ReviewOptions) {
  const queryClient = useQueryClient()
  const [session, dispatch] = useReducer(reduceSession, itemId, (id) =>
    id === undefined ? EMPTY_SESSION : reduceSession(EMPTY_SESSION, { kind: 'open', id, nowMs: Date.now() }),
  )
  const isPairwise = queue.queue_type === 'pairwise'
  const { waiting, partners } = useWaitingItems(queue.id, isPairwise, session, dispatch)
  const openId = getOpenItem(session)
  const open = useQuery({ ...reviewQuery.item(queue.id, openId ?? ''), enabled: openId !== undefined })
  const row = openId === undefined ? undefined : open.data
  const partner = openId === undefined ? undefined : partners.get(openId)
  const pairId = partner && openId
  const questions = useMemo(() => {
    const items = queue.rubric_items ?? []
    return pairId === undefined ? toQuestions(items) : toPairQuestions(items, isSwapped(pairId))
  }, [queue.rubric_items, pairId])
  const answers = useAnswers(row?.item, authorId, questions, partner?.item)
  const send = useStatusCalls((id) => partners.get(id)?.item.id)
  const isDone = openId !== undefined && session.done.has(openId)
  const isLost = openId !== undefined && session.lost.has(openId)
  const reservation = useReservation({
    itemId: isDone || isLost ? undefined : openId,
    minutes: queue.enable_reservations === false ? undefined : (queue.reservation_minutes ?? 1),
    send,
    onLost: (id, isFirst) => {
      dispatch({ kind: 'lost', id, nowMs: Date.now() })
      // The answer can be late: the reviewer may look at another item by now.
      if (!isFirst || id === itemId || id !== openId) return
      dispatch({ kind: 'skip', id, nowMs: Date.now() })
      toast.done('Another reviewer took that item; here is the next one')
    },
  })
  const hasUnsavedDraft = [...useStore(drafts.store).values()].some(isUnsaved)
  const [problem, setProblem] = useState<{ itemId: string; key: string; problem: string }>()
  usePrefetch(queue.id, listNext(session, PREFETCHED), authorId)
  useItemInUrl(openId)

  const refreshProgress = () => void queryClient.invalidateQueries({ queryKey: queueQuery.all() })

  const openAgain = (id: string) => ({
    label: 'Open it',
    run: () => dispatch({ kind: 'open', id, nowMs: Date.now() }),
  })
  const store = (item: AnnotationQueueItem) => storeTyped(answers, drafts, { queryClient, item, authorId })

  /**
   * @returns the key of the first question whose answer is missing or invalid; then nothing happens, as with an invalid
   *   correction, which asks for itself
   */
  function finish(): string | undefined {
    if (row === undefined || openId === undefined || isLost || answers.records === undefined) return undefined
    if (!drafts.accept(openId)) return undefined
    const found = findFirstProblem(questions, answers.answers)
    setProblem(found && { itemId: openId, ...found })
    if (found) return found.key
    const wasDone = isDone
    dispatch({ kind: 'done', nowMs: Date.now() })
    void complete(row.item, wasDone)
    return undefined
  }
  async function complete(item: AnnotationQueueItem, wasDone: boolean) {
    try {
      await store(item)
      if (!wasDone) await send(item.id, 'completed')
      refreshProgress()
    } catch (cause) {
      dispatch({ kind: 'failed', id: item.id, nowMs: Date.now() })
      toast.failure('An item could not be completed', cause, openAgain(item.id))
    }
  }
  function skip() {
    if (openId === undefined || !drafts.accept(openId)) return
    dispatch({ kind: 'skip', id: openId, nowMs: Date.now() })
    const failed = (cause: unknown) => toast.failure('What you typed could not be saved', cause, openAgain(openId))
    if (row !== undefined) store(row.item).catch(failed)
    if (isDone || isLost) return
    send(openId, null, { postpone: true }).catch((cause) => toast.failure('The item could not be skipped', cause))
  }
  function undo() {
    const id = findLastDone(session)
    if (id === undefined) return
    void send(id, null)
      .then(refreshProgress)
      .catch((cause) => toast.failure('The review could not be taken back', cause))
    dispatch({ kind: 'undo', nowMs: Date.now() })
  }
  return {
    session,
    open,
    row,
    partner,
    waiting,
    questions,
    answers,
    reservation,
    isLost,
    isDone,
    /** Whether leaving the page would lose something. */
    hasUnsaved: answers.hasPending() || hasUnsavedDraft,
    problem: problem?.itemId === openId ? problem : undefined,
    answer: (...given: Parameters<typeof answers.answer>) => {
      setProblem(undefined)
      answers.answer(...given)
    },
    finish,
    skip,
    undo,
    previous: () => dispatch({ kind: 'previous', nowMs: Date.now() }),
  }
}

/** Stores what was typed into an item. @throws Error when some of it could not be stored; then it is kept */
async function storeTyped(
  answers: ReturnType<typeof useAnswers>,
  drafts: ReviewOptions['drafts'],
  place: ReviewPlace,
): Promise<void> {
  const [areAnswersStored, isCorrectionStored] = await Promise.all([answers.flush(place.item.id), drafts.flush(place)])
  if (!areAnswersStored) throw new Error('Some answers could not be saved.')
  if (!isCorrectionStored) throw new Error('The correction could not be saved.')
}

export type ReviewState = ReturnType<typeof useReview>

type Session = typeof EMPTY_SESSION
type Dispatch = (action: Parameters<typeof reduceSession>[1]) => void

/** Reads the items that wait, and more of them before the reviewer gets to the last one. */
function useWaitingItems(queueId: string, isPairwise: boolean, session: Session, dispatch: Dispatch) {
  const waiting = useQuery(reviewQuery.waiting(queueId))
  /** The other item of each pair, by the id of the first. */
  const [partners] = useState(() => new Map<string, QueueItemRow>())
  const { data, refetch } = waiting
  useEffect(() => {
    if (data === undefined) return
    // The two items of a pair are completed one after the other, so a read between them finds the second one alone.
    const paired = new Set([...partners].flatMap(([id, { item }]) => [id, item.id]))
    const rows = data.filter(({ item }) => !paired.has(item.id))
    const units = isPairwise ? toPairs(rows, data.length === WAITING) : rows.map((row) => ({ row, partner: undefined }))
    for (const { row, partner } of units) if (partner) partners.set(row.item.id, partner)
    dispatch({ kind: 'loaded', ids: units.map(({ row }) => row.item.id), nowMs: Date.now() })
  }, [data, isPairwise, partners, dispatch])
  const needsMore = data !== undefined && isLow(session, FEW)
  const handled = session.done.size + session.skips
  useEffect(() => {
    if (needsMore && handled > 0) void refetch()
  }, [needsMore, handled, refetch])
  return { waiting, partners }
}

/** Loads the content and the answers of items that come next. */
function usePrefetch(queueId: string, ids: readonly string[], authorId: string | null) {
  const queryClient = useQueryClient()
  const list = ids.join()
  useEffect(() => {
    for (const id of list.split(',').filter(Boolean)) {
      void queryClient
        .fetchQuery(reviewQuery.item(queueId, id))
        .then(({ item }: QueueItemRow) =>
          Promise.all([
            queryClient.prefetchQuery(reviewQuery.records(item, authorId)),
            item.run_id === null ? undefined : queryClient.prefetchQuery(traceQuery.run(item.run_id)),
          ]),
        )
        .catch(() => undefined) // it is loaded again, with its error, when it is opened
    }
  }, [queryClient, queueId, list, authorId])
}

/** A reload opens the same item. */
function useItemInUrl(itemId: string | undefined) {
  const navigate = useNavigate({ from: '/o/$tenant/annotation-queues/$queueId/review' })
  useEffect(() => {
    void navigate({ search: { item: itemId }, replace: true })
  }, [itemId, navigate])
}
