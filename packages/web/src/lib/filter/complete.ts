import { labelOfSubject, SUBJECTS, subjectOfWord, typeOfSubject } from './fields.ts'
import { PRESENCE_WORDS, STATE_WORDS } from './quick.ts'

/** What may be completed at the caret: the word of a field, the key of an entry, or a value. */
export interface Completion {
  kind: 'field' | 'key' | 'value'
  /** Span of the text that a choice replaces. */
  from: number
  to: number
  /** What is typed of it so far, signs and quotes left out. */
  typed: string
  subject: string
  key: string
}

/** A thing to choose, as it is put into the text. */
export interface Choice {
  insert: string
  label: string
  note?: string
}

/** What stands at the caret of quick typing. */
export function completionAt(text: string, caret: number): Completion {
  const from = startOfPiece(text, caret)
  const piece = text.slice(from, caret)
  const lead = /^-?(?:(?:root|any)\.)?/.exec(piece)![0].length
  const rest = piece.slice(lead)
  const colon = rest.indexOf(':')
  if (colon < 0) {
    const dot = rest.indexOf('.')
    const family = dot < 0 ? undefined : subjectOfWord(rest.slice(0, dot))
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
  const signs = /^(>=|<=|!=|>|<|=|~)?/.exec(rest.slice(colon + 1))![0].length
  const lastComma = rest.lastIndexOf(',')
  const start = Math.max(colon + 1 + signs, lastComma + 1)
  return {
    kind: 'value',
    from: from + lead + start,
    to: caret,
    typed: rest.slice(start).replaceAll('"', ''),
    subject: subjectOfWord(word) ?? word,
    key,
  }
}

/** Words that may stand before a colon. */
export function fieldChoices(typed: string): Choice[] {
  const sought = typed.toLowerCase()
  const fields = Object.entries(SUBJECTS).map(([subject, { words, entry, label }]) => ({
    insert: entry ? `${words[0]}.` : `${words[0]}:`,
    label: entry ? `${words[0]}.…` : words[0]!,
    note: entry ? `${label} by key` : hintOf(subject),
    words,
  }))
  const flags = [
    { insert: 'is:', label: 'is', note: STATE_WORDS.join(', '), words: ['is'] },
    { insert: 'has:', label: 'has', note: PRESENCE_WORDS.join(', '), words: ['has'] },
  ]
  return [...flags, ...fields]
    .filter(({ words }) => words.some((word) => word.startsWith(sought)))
    .map(({ words: _, ...choice }) => choice)
}

/** Values that need no look into the data. */
export function fixedChoices(subject: string): string[] | undefined {
  if (subject === 'is') return STATE_WORDS
  if (subject === 'has') return PRESENCE_WORDS
  if (typeOfSubject(subject) === 'boolean') return ['true', 'false']
  if (subject === 'feedback_by') return ['api', 'app', 'model', 'auto_eval']
  return undefined
}

/** The text with a choice in place, and where the caret then stands. */
export function applyChoice(text: string, completion: Completion, insert: string): { text: string; caret: number } {
  const whole = completion.kind === 'value' && /[\s",]/.test(insert) ? JSON.stringify(insert) : insert
  return {
    text: text.slice(0, completion.from) + whole + text.slice(completion.to),
    caret: completion.from + whole.length,
  }
}

const HINTS: Partial<Record<ReturnType<typeof typeOfSubject>, string>> = {
  duration: 'e.g. >5s, <200ms',
  number: 'e.g. >1000',
  time: 'e.g. >2026-01-31',
  id: 'a UUID',
}

function hintOf(subject: string): string {
  return HINTS[typeOfSubject(subject)] ?? labelOfSubject(subject)
}

function splitWord(word: string): [string, string] {
  const dot = word.indexOf('.')
  const family = dot < 0 ? undefined : subjectOfWord(word.slice(0, dot))
  return family !== undefined && SUBJECTS[family]?.entry ? [word.slice(0, dot), word.slice(dot + 1)] : [word, '']
}

/** Behind the last space before the caret that stands outside of quotes. */
function startOfPiece(text: string, caret: number): number {
  let start = 0
  let isQuoted = false
  for (let at = 0; at < caret; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    else if (!isQuoted && /\s/.test(text[at]!)) start = at + 1
  }
  return start
}
