import type { FeedbackStat } from '@touchstone/contract'
import { columns, nullable, number, type RowOf, text } from '../../storage/rows.ts'

/** Feedback figures by key. */
export type FeedbackStats = Record<string, FeedbackStat>

/** The columns that figures are derived from. */
export const STAT_COLUMNS = {
  key: text,
  score: nullable(number),
  label: text,
  comment: nullable(text),
  source_type: text,
  error: number,
  feedback_thread_id: text,
}

/** The columns that figures are derived from, and the owner by which they are grouped. */
export const STAT_INPUT = columns({ ...STAT_COLUMNS, owner: text })
export type StatInput = RowOf<typeof STAT_INPUT>

/** Limits of the figures of one key. */
const LABELS = 100
const COMMENTS = 10
const COMMENT_CHARACTERS = 500
const SOURCES = 10

/** Computes figures by owner from the records, as `selectStatsByOwner` does in the engine. */
export function summarizeRecords(records: readonly StatInput[]): Map<string, FeedbackStats> {
  const byOwner = new Map<string, Map<string, StatInput[]>>()
  for (const record of records) {
    const keys = getOrAdd(byOwner, record.owner, () => new Map<string, StatInput[]>())
    getOrAdd(keys, record.key, (): StatInput[] => []).push(record)
  }
  return new Map([...byOwner].map(([owner, keys]) => [owner, summarizeKeys(keys)]))
}

function summarizeKeys(keys: ReadonlyMap<string, readonly StatInput[]>): FeedbackStats {
  const stats: FeedbackStats = {}
  const sorted = [...keys].sort(([one], [other]) => (one < other ? -1 : 1))
  for (const [key, records] of sorted) setOwn(stats, key, summarizeKey(records))
  return stats
}

function summarizeKey(records: readonly StatInput[]): FeedbackStat {
  const scores = records.map((record) => record.score).filter((score) => score !== null)
  const avg = scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : null
  return {
    n: records.length,
    avg,
    min: scores.length > 0 ? scores.reduce((least, score) => Math.min(least, score)) : null,
    max: scores.length > 0 ? scores.reduce((most, score) => Math.max(most, score)) : null,
    stdev: avg !== null && scores.length > 1 ? deviation(scores, avg) : null,
    errors: records.filter((record) => record.error === 1).length,
    values: countLabels(records),
    comments: records
      .flatMap(({ comment }) => comment || [])
      .slice(0, COMMENTS)
      .map((comment) => [...comment].slice(0, COMMENT_CHARACTERS).join('')),
    sources: [...new Set(records.map((record) => record.source_type))].slice(0, SOURCES).sort(),
    contains_thread_feedback: records.some((record) => record.feedback_thread_id !== ''),
  }
}

/** Standard deviation of a sample. */
function deviation(values: readonly number[], mean: number): number {
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
}

function countLabels(records: readonly StatInput[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { label } of records) if (label !== '') counts.set(label, (counts.get(label) ?? 0) + 1)
  const most = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, LABELS)
  const values: Record<string, number> = {}
  for (const [label, n] of most) setOwn(values, label, n)
  return values
}

/** Keys and labels are text of users, for example `__proto__`. */
export function setOwn<Value>(record: Record<string, Value>, key: string, value: Value): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true })
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
