import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { useEffect, useMemo, useReducer, useState } from 'react'
import { type QueueItemRow, queueQuery } from '#data/queues.ts'
import { reviewQuery, WAITING } from '#data/reviews.ts'
import { traceQuery } from '#data/traces.ts'
import { isSwapped, toPairQuestions, toPairs } from '#lib/annotation-queues/pairs.ts'
import {
  EMPTY_SESSION,
  findLastDone,
  getOpenItem,
  listNext,
  reduceSession,
} from '#lib/annotation-queues/review-session.ts'
import { findFirstProblem, toQuestions } from '#lib/annotation-queues/rubric.ts'
import { toast } from '#ui/toast.tsx'
import { useAnswers } from './-use-answers.ts'
import { useReservation, useStatusCalls } from './-use-reservation.ts'

interface ReviewOptions {
  queue: AnnotationQueueWithDetails
  authorId: string | null
  /** The item of the URL. */
  itemId: string | undefined
}

/** Items whose content is loaded ahead. */
const PREFETCHED = 2
/** More items are read when fewer wait. */
const FEW = 5

/** One walk of a reviewer through the items that need their review. */
export function useReview({ queue, authorId, itemId }: ReviewOptions) {
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
      if (!isFirst || id === itemId) return
      dispatch({ kind: 'skip', nowMs: Date.now() })
      toast.done('Another reviewer took that item; here is the next one')
    },
  })
  const [problem, setProblem] = useState<{ itemId: string; key: string; problem: string }>()
  usePrefetch(queue.id, listNext(session, PREFETCHED), authorId)
  useItemInUrl(openId)

  const refreshProgress = () => void queryClient.invalidateQueries({ queryKey: queueQuery.all() })

  /** @returns the key of the first question whose answer is missing or invalid; then nothing happens */
  function finish(): string | undefined {
    if (row === undefined || openId === undefined || isLost || answers.records === undefined) return undefined
    const found = findFirstProblem(questions, answers.answers)
    setProblem(found && { itemId: openId, ...found })
    if (found) return found.key
    const wasDone = isDone
    dispatch({ kind: 'done', nowMs: Date.now() })
    void complete(openId, wasDone)
    return undefined
  }
  async function complete(id: string, wasDone: boolean) {
    try {
      if (!(await answers.flush(id))) throw new Error('Some answers could not be saved.')
      if (!wasDone) await send(id, 'completed')
      refreshProgress()
    } catch (cause) {
      dispatch({ kind: 'failed', id, nowMs: Date.now() })
      const again = { label: 'Open it', run: () => dispatch({ kind: 'open', id, nowMs: Date.now() }) }
      toast.failure('An item could not be completed', cause, again)
    }
  }
  function skip() {
    if (openId === undefined) return
    dispatch({ kind: 'skip', nowMs: Date.now() })
    void answers.flush(openId)
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
    const units = isPairwise ? toPairs(data, data.length === WAITING) : data.map((row) => ({ row, partner: undefined }))
    for (const { row, partner } of units) if (partner) partners.set(row.item.id, partner)
    dispatch({ kind: 'loaded', ids: units.map(({ row }) => row.item.id), nowMs: Date.now() })
  }, [data, isPairwise, partners, dispatch])
  const isLow = data !== undefined && listNext(session, FEW).length < FEW
  const doneCount = session.done.size
  useEffect(() => {
    if (isLow && doneCount > 0) void refetch()
  }, [isLow, doneCount, refetch])
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
