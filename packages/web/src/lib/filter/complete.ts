import { findSubject, getSubjectLabel, getSubjectType, SUBJECTS } from './fields.ts'
import { PRESENCE_WORDS, STATE_WORDS } from './quick.ts'

/** What to complete at the caret: the name of a field, the key of an entry, or a value. */
export interface Completion {
  kind: 'field' | 'key' | 'value'
  /** Range of the text that a suggestion replaces. */
  from: number
  to: number
  /** The typed part, without operators and quotes. */
  typed: string
  subject: string
  key: string
}

/** A suggestion. */
export interface Choice {
  insert: string
  label: string
  note?: string | undefined
}

/** Finds what to complete at the caret of a quick filter. */
export function findCompletion(text: string, caret: number): Completion {
  const from = findPieceStart(text, caret)
  const piece = text.slice(from, caret)
  const lead = matchLength(/^-?(?:(?:root|any)\.)?/, piece)
  const rest = piece.slice(lead)
  const colon = rest.indexOf(':')
  if (colon < 0) {
    const dot = rest.indexOf('.')
    const family = dot < 0 ? undefined : findSubject(rest.slice(0, dot))
    if (family !== undefined && SUBJECTS[family]?.entry) {
      return {
        kind: 'key',
        from: from + lead + dot + 1,
        to: caret,
        typed: rest.slice(dot + 1),
        subject: family,
        key: '',
      }
    }
    return { kind: 'field', from: from + lead, to: caret, typed: rest, subject: '', key: '' }
  }
  const [word, key] = splitWord(rest.slice(0, colon))
  const subject = findSubject(word) ?? word
  const signs = matchLength(/^(>=|<=|!=|>|<|=|~)?/, rest.slice(colon + 1))
  const lastComma = rest.lastIndexOf(',')
  const start = Math.max(colon + 1 + signs, lastComma + 1)
  return {
    kind: 'value',
    from: from + lead + start,
    to: caret,
    typed: rest.slice(start).replaceAll('"', ''),
    subject: key === '' ? (SUBJECTS[subject]?.whole ?? subject) : subject,
    key,
  }
}

/** Names of fields that start with the typed text. */
export function fieldChoices(typed: string): Choice[] {
  const sought = typed.toLowerCase()
  const fields = Object.entries(SUBJECTS).flatMap(([subject, { words, entry, whole, label }]) => {
    const word = words[0] ?? subject
    const note = entry ? `${label} by key` : getHint(subject)
    const field = {
      insert: entry ? `${word}.` : `${word}:`,
      label: entry ? `${word}.…` : word,
      // A note that repeats the word explains nothing.
      note: note === word ? undefined : note,
      words,
    }
    return whole === undefined ? [field] : [{ insert: `${word}:`, label: word, note: 'contains text', words }, field]
  })
  const flags = [
    { insert: 'is:', label: 'is', note: STATE_WORDS.join(', '), words: ['is'] },
    { insert: 'has:', label: 'has', note: PRESENCE_WORDS.join(', '), words: ['has'] },
  ]
  return [...flags, ...fields]
    .filter(({ words }) => words.some((word) => word.startsWith(sought)))
    .map(({ words: _, ...choice }) => choice)
}

/** The values of fields with a fixed set of values. */
export function fixedChoices(subject: string): string[] | undefined {
  if (subject === 'is') return STATE_WORDS
  if (subject === 'has') return PRESENCE_WORDS
  if (getSubjectType(subject) === 'boolean') return ['true', 'false']
  if (subject === 'feedback_by') return ['api', 'app', 'model', 'auto_eval']
  return undefined
}

/** Inserts a suggestion. @returns the new text and caret */
export function applyChoice(text: string, completion: Completion, insert: string): { text: string; caret: number } {
  const whole = completion.kind === 'value' && /[\s",]/.test(insert) ? JSON.stringify(insert) : insert
  return {
    text: text.slice(0, completion.from) + whole + text.slice(completion.to),
    caret: completion.from + whole.length,
  }
}

const HINTS: Partial<Record<ReturnType<typeof getSubjectType>, string>> = {
  duration: 'e.g. >5s, <200ms',
  number: 'e.g. >1000',
  time: 'e.g. >2026-01-31',
  id: 'a UUID',
}

function getHint(subject: string): string {
  return HINTS[getSubjectType(subject)] ?? getSubjectLabel(subject)
}

function splitWord(word: string): [string, string] {
  const dot = word.indexOf('.')
  const family = dot < 0 ? undefined : findSubject(word.slice(0, dot))
  return family !== undefined && SUBJECTS[family]?.entry ? [word.slice(0, dot), word.slice(dot + 1)] : [word, '']
}

function matchLength(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0
}

/** The position after the last space outside quotes before the caret. */
function findPieceStart(text: string, caret: number): number {
  let start = 0
  let isQuoted = false
  for (let at = 0; at < caret; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    else if (!isQuoted && /\s/.test(text.charAt(at))) start = at + 1
  }
  return start
}
