import { listMembers } from '@touchstone/formats/cut-json'
import { getMember, parseExact } from '@touchstone/formats/edit-json'
import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { indentJson, type JsonProblem, parseJson } from '@touchstone/formats/locate-json'
import type { AnnotationQueueItem, Feedback } from '@touchstone/sdk'
import type { Answer, Answers } from '../../rubric/rubric.ts'

/** Feedback with this key holds the corrected output of a run. */
export const CORRECTION_KEY = 'correction'

/** What was said about an item under one key. */
export interface ReviewRecord {
  /** Of the feedback; undefined until it is stored. */
  id: string | undefined
  key: string
  answer: Answer
  /** The corrected outputs as indented JSON, because parsing would round large numbers. */
  correction: string | undefined
  isMine: boolean
}

/**
 * The records of a list of feedback.
 *
 * @param json      answer of the API
 * @param authorId  id of the reviewer; null on a server without accounts
 */
export function readRecords(json: string, authorId: string | null): ReviewRecord[] {
  return [...listMembers(json)].map(({ from, to }) => {
    const text = json.slice(from, to)
    return toRecord(JSON.parse(text), getMember(text, 'correction'), authorId)
  })
}

function toRecord(feedback: Feedback, correction: string | undefined, authorId: string | null): ReviewRecord {
  const { id, key, score, value, comment, feedback_source: source } = feedback
  const userId = (source as { user_id?: string | null } | null | undefined)?.user_id ?? null
  return {
    id,
    key,
    answer: {
      score: typeof score === 'boolean' ? Number(score) : (score ?? undefined),
      value: value == null ? undefined : typeof value === 'string' ? value : JSON.stringify(value),
      comment: comment ?? undefined,
    },
    correction: correction?.startsWith('{') ? indentJson(correction) : undefined,
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
  return [{ id: undefined, answer: {}, correction: undefined, ...change, key, isMine: true }, ...records]
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

/** The corrected outputs of a typed text, with the digits of their numbers, or what is wrong with it. */
export function parseCorrection(text: string): { outputs: JsonRecord } | { problem: JsonProblem } {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  const outputs = isRecord(parsed.value) ? parseExact(text) : undefined
  return isRecord(outputs)
    ? { outputs }
    : { problem: { from: 0, to: text.length, message: 'The outputs of a run are an object.' } }
}
