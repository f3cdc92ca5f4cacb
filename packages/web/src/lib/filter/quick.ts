import { type Filter, type FilterClause, FilterError, parseClauses } from '@touchstone/contract/filter'
import { type FilterScope, toClause } from './chips.ts'
import { findCloseWords } from './close-words.ts'
import { type Condition, fromCondition } from './condition.ts'
import { findSubject, getSubjectType, type Operation, SUBJECTS } from './fields.ts'

/** The clauses of a quick filter with their scopes. */
export type Typed = { readonly scope: FilterScope; readonly clause: FilterClause }[]

/** One condition of a quick filter. */
interface Piece {
  /** Position of `rest` in the text. */
  at: number
  isNot: boolean
  scope: FilterScope
  /** The name before the colon; absent for full text search. */
  word: string | undefined
  rest: string
}

const PIECE = /(-?)(?:(root|any)\.)?(?:([A-Za-z_][\w.-]*):)?((?:"(?:[^"\\]|\\.)*"|[^\s"])*)/y
const COMPARATORS: Readonly<Record<string, Operation>> = {
  '>=': 'gte',
  '<=': 'lte',
  '!=': 'neq',
  '>': 'gt',
  '<': 'lt',
  '=': 'eq',
  '~': 'search',
}

/**
 * Parses a quick filter, e.g. `type:llm latency:>5s -tag:dev is:error metadata.env:prod "refund"`, or the filter language
 * itself if the text starts with a call. The prefixes `root.` and `any.` apply a condition to the trace's root, or to any run
 * of the trace.
 *
 * @throws FilterError with the position of the error
 */
export function parseQuickFilter(text: string): Typed {
  if (isCall(text)) {
    const clauses = parseClauses(text)
    const wrong = clauses.find(({ error }) => error !== undefined)
    if (wrong?.error) throw wrong.error
    return clauses.map((clause) => ({ scope: 'run', clause }))
  }
  return joinWords(splitPieces(text)).map((piece) => {
    try {
      return { scope: piece.scope, clause: toClause(toFilter(piece)) }
    } catch (error) {
      // The error's own position refers to the filter language, not to the typed text.
      throw error instanceof FilterError ? new FilterError(findValueStart(piece), error.reason) : error
    }
  })
}

/** Whether the text is in the filter language: it starts with a call. */
export function isCall(text: string): boolean {
  return /^\s*[A-Za-z_]\w*\s*\(/.test(text)
}

function splitPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at++
      continue
    }
    PIECE.lastIndex = at
    const [whole = '', minus = '', scope, word, rest = ''] = PIECE.exec(text) ?? []
    if (whole === '' || whole === '-') throw new FilterError(at, 'the closing quote is missing')
    const isKnown = word !== undefined && findMeaning(word) !== undefined
    const lead = minus.length + (scope === undefined ? 0 : scope.length + 1)
    if (word !== undefined && !isKnown && !word.includes('.') && rest !== '' && !rest.startsWith('//')) {
      throw new FilterError(at + lead, describeUnknownField(word, rest))
    }
    pieces.push({
      at: isKnown ? at + whole.length - rest.length : at + lead,
      isNot: minus === '-',
      scope: scope === 'root' ? 'root' : scope === 'any' ? 'tree' : 'run',
      word: isKnown ? word : undefined,
      rest: isKnown ? rest : whole.slice(lead),
    })
    at += whole.length
  }
  return pieces
}

/** Adjacent words without a field are searched together. */
function joinWords(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    const isBare = (one: Piece | undefined) =>
      one !== undefined && one.word === undefined && !one.isNot && one.scope === 'run' && !one.rest.includes('"')
    if (last !== undefined && isBare(last) && isBare(piece)) last.rest += ` ${piece.rest}`
    else joined.push({ ...piece })
  }
  return joined
}

/** The position of a value, after its comparator: an error that a value causes is marked there. */
function findValueStart({ at, rest }: Piece): number {
  return at + (SIGN.exec(rest)?.[0].length ?? 0)
}

const SIGN = /^(>=|<=|!=|>|<|=|~)/

function toFilter({ word, rest, isNot, at }: Piece): Filter {
  if (word === undefined) {
    return fromCondition({ subject: 'words', key: '', operation: 'search', value: unquote(rest), isNot })
  }
  const meaning = findMeaning(word)
  if (meaning === undefined) throw new FilterError(at, describeUnknownField(word, rest))
  if (meaning.subject === 'is' || meaning.subject === 'has')
    return toFlagFilter(meaning.subject, unquote(rest), isNot, at)
  const condition = toCondition(meaning, rest)
  if (condition.value === '' && rest !== '""') throw new FilterError(at, `Enter a value after ${word}:`)
  return fromCondition(negate(condition, isNot))
}

/** `metadata.env` is the entry `env` of the metadata; `is` and `has` are for states. */
function findMeaning(word: string): { subject: string; key: string } | undefined {
  if (word === 'is' || word === 'has') return { subject: word, key: '' }
  const dot = word.indexOf('.')
  const family = dot < 0 ? undefined : findSubject(word.slice(0, dot))
  if (family !== undefined && SUBJECTS[family]?.entry) return { subject: family, key: word.slice(dot + 1) }
  const subject = findSubject(word)
  if (subject === undefined) return undefined
  const { entry, whole } = SUBJECTS[subject] ?? {}
  if (entry === undefined) return { subject, key: '' }
  return whole === undefined ? undefined : { subject: whole, key: '' }
}

function toCondition({ subject, key }: { subject: string; key: string }, rest: string): Condition {
  const sign = SIGN.exec(rest)?.[0] ?? ''
  const value = rest.slice(sign.length)
  const base = { subject, key, isNot: false }
  const comparator = COMPARATORS[sign]
  if (comparator !== undefined) return { ...base, operation: comparator, value: unquote(value) }
  const type = getSubjectType(subject)
  if (subject === 'feedback' && value !== '' && Number.isNaN(Number(value)) && !/^(true|false)$/.test(value)) {
    return { ...base, subject: 'feedback_label', operation: 'eq', value: unquote(value) }
  }
  if (value.includes('*') && !value.startsWith('"')) {
    const pattern = value.replaceAll('*', '%')
    // A payload is one text of JSON, in which the pattern may be anywhere.
    return { ...base, operation: 'like', value: type === 'payload' ? `%${pattern}%` : pattern }
  }
  if (subject === 'words' || subject === 'error' || type === 'payload') {
    return { ...base, operation: 'search', value: unquote(value) }
  }
  if (subject === 'tags' || type === 'metadata') return { ...base, operation: 'has', value: unquote(value) }
  return /,/.test(value.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''))
    ? { ...base, operation: 'in', value }
    : { ...base, operation: 'eq', value: getSubjectType(subject) === 'entry-value' ? value : unquote(value) }
}

const OPPOSITE: Partial<Record<Operation, Operation>> = { eq: 'neq', in: 'nin', like: 'notlike' }

function negate(condition: Condition, isNot: boolean): Condition {
  if (!isNot) return condition
  const opposite = SUBJECTS[condition.subject]?.entry ? undefined : OPPOSITE[condition.operation]
  return opposite === undefined ? { ...condition, isNot: true } : { ...condition, operation: opposite }
}

const STATES: Readonly<Record<string, Filter>> = {
  error: { op: 'eq', field: 'status', value: 'error' },
  success: { op: 'eq', field: 'status', value: 'success' },
  pending: { op: 'eq', field: 'status', value: 'pending' },
  running: { op: 'eq', field: 'status', value: 'pending' },
  interrupted: { op: 'eq', field: 'status', value: 'interrupted' },
  root: { op: 'eq', field: 'is_root', value: true },
}

/** The values of `is:`. */
export const STATE_WORDS = Object.keys(STATES)
/** The suggested values of `has:`; any field of the filter language works too. */
export const PRESENCE_WORDS = ['error', 'feedback', 'tag', 'thread', 'example', 'cost', 'tokens']

function toFlagFilter(kind: 'is' | 'has', word: string, isNot: boolean, at: number): Filter {
  if (kind === 'is') {
    const state = Object.hasOwn(STATES, word) ? STATES[word] : undefined
    if (state === undefined) throw new FilterError(at, `Unknown state "${word}". Use ${STATE_WORDS.join(', ')}.`)
    return isNot ? { op: 'not', args: [state] } : state
  }
  const subject = findSubject(word)
  const field = subject === undefined ? undefined : (SUBJECTS[subject]?.entry?.key ?? subject)
  if (field === undefined || field === 'words') {
    throw new FilterError(at, `Unknown field "${word}". Use ${PRESENCE_WORDS.join(', ')}.`)
  }
  return { op: isNot ? 'eq' : 'neq', field, value: null }
}

function describeUnknownField(word: string, rest: string): string {
  const subject = findSubject(word)
  const entry = subject === undefined ? undefined : SUBJECTS[subject]?.entry
  const close = entry === undefined ? findCloseWords(word, listFieldWords()) : [`${word}.key`]
  const hint =
    close.length > 0 ? `Did you mean ${joinAlternatives(close)}?` : `To search for this text, type "${word}:${rest}".`
  return `Unknown field "${word}". ${hint}`
}

/** The names of all fields of a quick filter. */
function listFieldWords(): string[] {
  return ['is', 'has', ...Object.values(SUBJECTS).flatMap(({ words }) => words)]
}

function joinAlternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last
}

function unquote(text: string): string {
  if (!/^".*"$/s.test(text)) return text
  try {
    return JSON.parse(text) as string
  } catch {
    return text.slice(1, -1)
  }
}
