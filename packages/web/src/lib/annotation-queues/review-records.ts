import type { AnnotationQueueItem, Feedback } from '@touchstone/sdk'
import { type JsonProblem, parseJson } from '#lib/json/locate-json.ts'
import type { Answer, Answers } from './rubric.ts'

/** Feedback with this key holds the corrected output of a run. */
export const CORRECTION_KEY = 'correction'

/** What was said about an item under one key. */
export interface ReviewRecord {
  /** Of the feedback; undefined until it is stored. */
  id: string | undefined
  key: string
  answer: Answer
  correction: object | string | null
  isMine: boolean
}

/** @param authorId  id of the reviewer; null on a server without accounts */
export function toRecord(feedback: Feedback, authorId: string | null): ReviewRecord {
  const { id, key, score, value, comment, correction, feedback_source: source } = feedback
  const userId = (source as { user_id?: string | null } | null | undefined)?.user_id ?? null
  return {
    id,
    key,
    answer: {
      score: typeof score === 'boolean' ? Number(score) : (score ?? undefined),
      value: value == null ? undefined : typeof value === 'string' ? value : JSON.stringify(value),
      comment: comment ?? undefined,
    },
    correction: correction ?? null,
    isMine: source?.type === 'app' && userId === authorId,
  }
}

/** The reviewer's own answers. Of several records of a key, the first, which is the newest, counts. */
export function toAnswers(records: readonly ReviewRecord[]): Answers {
  const answers: Record<string, Answer> = {}
  for (const { key, answer, isMine } of records) if (isMine && answers[key] === undefined) answers[key] = answer
  return answers
}

export function findMine(records: readonly ReviewRecord[] | undefined, key: string): ReviewRecord | undefined {
  return records?.find((record) => record.isMine && record.key === key)
}

/** The records after the reviewer changed the content of a key. */
export function withMine(
  records: readonly ReviewRecord[],
  key: string,
  change: Partial<Omit<ReviewRecord, 'key' | 'isMine'>>,
): ReviewRecord[] {
  const before = findMine(records, key)
  if (before !== undefined) return records.map((record) => (record === before ? { ...record, ...change } : record))
  return [{ id: undefined, answer: {}, correction: null, ...change, key, isMine: true }, ...records]
}

/** Whether there is nothing left to store. */
export function isEmpty({ score, value, comment }: Answer): boolean {
  return score === undefined && !value && !comment
}

/** The thing that an item asks about. */
export type ReviewSubject = { runId: string } | { projectId: string; threadId: string }

export function toSubject({ run_id, project_id, thread_id }: AnnotationQueueItem): ReviewSubject {
  return run_id === null ? { projectId: project_id, threadId: thread_id ?? '' } : { runId: run_id }
}

/** The corrected outputs of a typed text, or what is wrong with it. */
export function parseCorrection(text: string): { outputs: object } | { problem: JsonProblem } {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  const { value } = parsed
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { outputs: value }
  return { problem: { from: 0, to: text.length, message: 'The outputs of a run are an object.' } }
}
