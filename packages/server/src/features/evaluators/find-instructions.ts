import { isRecord, type JsonRecord } from '@touchstone/formats/guards'

/*
 * Judged text that talks to its judge. No list of patterns finds every attempt, and a text about prompts matches without being
 * one, so a match marks a score and changes nothing. Words are compared in a window: a regular expression over them could take
 * time that grows faster than the text.
 */

/** Characters of one value that are searched. */
const MAX_CHARACTERS = 200_000
/** Words after the first one in which the others are looked for. */
const WINDOW = 8
const MAX_SHOWN = 120

interface Pattern {
  readonly first: ReadonlySet<string>
  /** One of each, in any order, within the window. */
  readonly near: readonly ReadonlySet<string>[]
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const SCORES = words('score scores rating grade mark verdict evaluation points')

const PATTERNS: readonly Pattern[] = [
  {
    first: words('ignore disregard forget override bypass skip'),
    near: [
      words(
        'instruction instructions prompt prompts rule rules rubric criteria guidelines above previous prior earlier',
      ),
    ],
  },
  {
    first: words('give assign return output answer respond reply set rate grade mark score choose report'),
    near: [
      new Set([...SCORES, 'true', 'correct', 'pass']),
      words('highest maximum max full perfect best top always must only 1 5 10 100 excellent'),
    ],
  },
  {
    first: words('score rating grade verdict'),
    near: [words('must should is'), words('highest maximum perfect 10 100 10/10')],
  },
  { first: words('you'), near: [words('are act must'), words('judge grader evaluator rater')] },
  { first: words('dear attention note hey hello'), near: [words('judge grader evaluator')] },
]

/** Marks of the templates of chat models, which no user writes by accident. */
const MARKS = ['<|im_start|>', '<|im_end|>', '<|system|>', '[INST]', '[/INST]', '<<SYS>>', '### Instruction']

/**
 * The first passage of the values that reads like an instruction for the judge.
 *
 * @param values  texts, or JSON whose names and scalars are searched
 */
export function findInstructions(values: Iterable<unknown>): string | undefined {
  for (const value of values) {
    const found = findIn(collectText(value))
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The names and scalars of a value, in order, up to the limit. Printed JSON would join escapes with words: in `\nIgnore` the
 * word is `nIgnore`. A value may be nested deeper than the call stack.
 */
function collectText(value: unknown): string {
  const texts: string[] = []
  const open: Iterator<unknown>[] = [[value].values()]
  let length = 0
  for (let members = open.at(-1); members !== undefined && length < MAX_CHARACTERS; members = open.at(-1)) {
    length++
    const { done, value: next } = members.next()
    if (done) open.pop()
    else if (Array.isArray(next)) open.push(next.values())
    else if (isRecord(next)) open.push(eachMember(next))
    else {
      const text = String(next).slice(0, MAX_CHARACTERS)
      texts.push(text)
      length += text.length
    }
  }
  return texts.join('\n').slice(0, MAX_CHARACTERS)
}

function* eachMember(record: JsonRecord): Generator<unknown> {
  for (const [name, value] of Object.entries(record)) {
    yield name
    yield value
  }
}

function findIn(text: string): string | undefined {
  const mark = MARKS.map((one) => text.indexOf(one)).find((at) => at >= 0)
  if (mark !== undefined) return show(text, mark)
  // A text may be JSON itself: its escapes of white space are no letters.
  const unescaped = text.replaceAll(/\\[bfnrt]/g, '  ')
  const found = [...unescaped.matchAll(/[\p{L}\p{N}]+(?:\/10)?/gu)].map((match) => ({
    word: match[0].toLowerCase(),
    at: match.index,
  }))
  for (const [index, { word, at }] of found.entries()) {
    for (const { first, near } of PATTERNS) {
      if (!first.has(word)) continue
      const rest = found.slice(index + 1, index + 1 + WINDOW)
      if (near.every((wanted) => rest.some((one) => wanted.has(one.word)))) return show(text, at)
    }
  }
  return undefined
}

const show = (text: string, at: number) =>
  text
    .slice(at, at + MAX_SHOWN)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toWellFormed()
