import { type Fragment, sql, text } from '../../../storage/analytics/sql.ts'
import type { EntryHint } from './entries.ts'
import { all } from './logic.ts'
import { hasAllWords, isPlain, wordsOf } from './words.ts'

/**
 * A cheap condition that every text with such an entry satisfies, and few others: opening a payload costs a hundred
 * times more than a look at its text. Only letters and digits are looked for, which no client escapes.
 */
export function couldContain(column: 'inputs' | 'outputs' | 'extra', hints: readonly EntryHint[]): Fragment {
  return all([sql`${textOf(column)} != ''`, ...hints.flatMap((hint) => conditionsOf(column, hint))])
}

function conditionsOf(column: 'inputs' | 'outputs' | 'extra', { part, op, value }: EntryHint): Fragment[] {
  if (typeof value !== 'string') return []
  if (op === 'like') return value === '' ? [] : containing(column, value.split('%').map(plainRun))
  if (part === 'key') return containing(column, [plainRun(value.split('.').at(-1)!)])
  if (Number.isFinite(Number(value))) return []
  const words = column === 'extra' ? [] : wordsOf(value).filter(isPlain)
  return words.length > 0 ? [hasAllWords(words)] : containing(column, [plainRun(value)])
}

function containing(column: 'inputs' | 'outputs' | 'extra', parts: readonly string[]): Fragment[] {
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '')
  return longest === '' ? [] : [sql`positionCaseInsensitive(${textOf(column)}, ${text(longest)}) > 0`]
}

/** The longest stretch of letters, digits and spaces. */
function plainRun(value: string): string {
  const runs = value.match(/[A-Za-z0-9]+(?: [A-Za-z0-9]+)*/g) ?? []
  return runs.reduce((best, run) => (run.length > best.length ? run : best), '')
}

const COLUMNS = { inputs: sql`inputs`, outputs: sql`outputs`, extra: sql`extra` }
const textOf = (column: keyof typeof COLUMNS) => COLUMNS[column]
