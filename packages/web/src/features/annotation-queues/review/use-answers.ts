import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { AnnotationQueueItem } from '@touchstone/sdk'
import { useMemo, useRef, useState } from 'react'
import { AnswerSaver, type SaveStatus } from '../rubric/answer-saver.ts'
import { type Answer, type Answers, findProblem, isAnswered, type Question } from '../rubric/rubric.ts'
import { joinPairAnswer, splitPairAnswer } from './logic/pairs.ts'
import { toAnswers } from './logic/review-records.ts'
import { reviewQuery, showAnswer, writeAnswer, writePairAnswer } from './queries.ts'

/** Texts and numbers are stored when typing pauses. */
const TYPING_MS = 500

type Statuses = ReadonlyMap<string, ReadonlyMap<string, SaveStatus>>
const NONE: ReadonlyMap<string, SaveStatus> = new Map()

/**
 * The answers to the open item. Each change is shown at once and stored in the background, also after the reviewer moved
 * on; every item has one saver for as long as the page is open.
 */
export function useAnswers(
  item: AnnotationQueueItem | undefined,
  authorId: string | null,
  questions: readonly Question[],
  /** The other run of a pair. */
  partner: AnnotationQueueItem | undefined,
) {
  const queryClient = useQueryClient()
  const [statuses, setStatuses] = useState<Statuses>(new Map())
  const savers = useRef(new Map<string, AnswerSaver>())
  const read = useQuery({
    ...reviewQuery.records(item ?? NO_ITEM, authorId),
    enabled: item !== undefined,
  })
  const records = item === undefined ? undefined : read.data
  // The cache reports changes a moment later; a field has to show a key press at once.
  const [typed, setTyped] = useState<ReadonlyMap<string, Answers>>(new Map())
  const given = item && typed.get(item.id)
  const isPair = partner !== undefined
  const answers = useMemo(() => {
    const stored = toAnswers(records ?? [])
    const shown = isPair
      ? Object.fromEntries(Object.entries(stored).map(([key, answer]) => [key, joinPairAnswer({ answer })]))
      : stored
    return { ...shown, ...given }
  }, [records, given, isPair])

  function getSaver(of: AnnotationQueueItem): AnswerSaver {
    const found = savers.current.get(of.id)
    if (found) return found
    const place = { queryClient, item: of, authorId }
    const saver = new AnswerSaver(
      (key, answer) => (partner ? writePairAnswer(place, partner, key, answer) : writeAnswer(place, key, answer)),
      (key, status) => setStatuses((before) => new Map(before).set(of.id, withStatus(before.get(of.id), key, status))),
    )
    savers.current.set(of.id, saver)
    return saver
  }

  function answer(key: string, next: Answer, isTyping: boolean) {
    if (item === undefined) return
    setTyped((before) => new Map(before).set(item.id, { ...before.get(item.id), [key]: next }))
    showAnswer({ queryClient, item, authorId }, key, partner ? splitPairAnswer(next)[0] : next)
    const question = questions.find((one) => one.key === key)
    // What is out of range is shown, but not stored.
    const isInvalid = question && isAnswered(next) && findProblem(question, { ...answers, [key]: next }) !== undefined
    if (isInvalid) getSaver(item).reject(key, next)
    else getSaver(item).save(key, next, isTyping ? TYPING_MS : 0)
  }
  return {
    read,
    records,
    answers,
    statuses: (item && statuses.get(item.id)) ?? NONE,
    answer,
    /** Stores what was typed into an item. @returns whether everything is stored */
    flush: async (itemId: string) => (await savers.current.get(itemId)?.flush()) ?? true,
    hasPending: () => [...savers.current.values()].some((saver) => saver.hasPending()),
  }
}

function withStatus(before = NONE, key: string, status: SaveStatus | undefined): ReadonlyMap<string, SaveStatus> {
  const others = [...before].filter(([one]) => one !== key)
  return new Map(status === undefined ? others : [...others, [key, status]])
}

/** Stands for no item while its query is disabled. */
const NO_ITEM: AnnotationQueueItem = {
  id: '',
  queue_id: '',
  item_type: 'RUN',
  run_id: '',
  thread_id: null,
  project_id: '',
  start_time: '',
  added_at: '',
  last_reviewed_time: null,
  source_proposed_example_id: null,
  completed_by: [],
  reserved_by: [],
  effective_added_at: '',
  assigned_to: [],
}
