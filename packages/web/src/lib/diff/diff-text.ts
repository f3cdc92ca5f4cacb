import { diffLines, diffWordsWithSpace } from 'diff'

/** A piece of a line; marked if it differs from the line on the other side. */
export interface Piece {
  text: string
  marked: boolean
}

export interface TextLine {
  kind: 'same' | 'added' | 'removed'
  pieces: Piece[]
}

/** After this time only lines are compared, not words. */
const PATIENCE_MS = 2_000

/** Compares two texts line by line and marks the words that differ in changed lines. Returns all lines. */
export function diffText(a: string, b: string): TextLine[] {
  const until = Date.now() + PATIENCE_MS
  const [from, to] = `${a}\n` === b || `${b}\n` === a ? [a, b] : [endLine(a), endLine(b)]
  const parts = diffLines(from, to, { timeout: PATIENCE_MS }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ]
  const lines: TextLine[] = []
  for (const [i, part] of parts.entries()) {
    const [previous, next] = [parts[i - 1], parts[i + 1]]
    if (part.added && previous?.removed) continue // drawn with the removed part
    if (part.removed && next?.added) {
      lines.push(...changedLines(splitLines(part.value), splitLines(next.value), until))
    } else {
      const kind = part.added ? 'added' : part.removed ? 'removed' : 'same'
      lines.push(...splitLines(part.value).map((text): TextLine => ({ kind, pieces: [{ text, marked: false }] })))
    }
  }
  return lines
}

/** Changed lines: the removed ones, then the added ones, with their differing words marked. */
function changedLines(removed: readonly string[], added: readonly string[], until: number): TextLine[] {
  const [gone, come]: [TextLine[], TextLine[]] = [[], []]
  for (let i = 0; i < Math.max(removed.length, added.length); i++) {
    const [old, fresh] = [removed[i], added[i]]
    const words =
      old !== undefined && fresh !== undefined && Date.now() < until
        ? diffWordsWithSpace(old, fresh, { timeout: Math.max(until - Date.now(), 1) })
        : undefined
    if (old !== undefined) {
      const pieces = words
        ?.filter((word) => !word.added)
        .map(({ value, removed }) => ({ text: value, marked: removed }))
      gone.push({ kind: 'removed', pieces: pieces ?? [{ text: old, marked: false }] })
    }
    if (fresh !== undefined) {
      const pieces = words?.filter((word) => !word.removed).map(({ value, added }) => ({ text: value, marked: added }))
      come.push({ kind: 'added', pieces: pieces ?? [{ text: fresh, marked: false }] })
    }
  }
  return [...gone, ...come]
}

/** The last line is the same with and without an end, when others follow it on the other side. */
const endLine = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

function splitLines(text: string): string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** A section of a list: shown, or folded because it contains no difference and none is near. */
interface DiffSection {
  from: number
  to: number
  isFolded: boolean
}

/** Unchanged items that stay visible beside a difference. */
const CONTEXT = 3
/** Fewer items than this are not folded. */
const LEAST = 4

/** Divides a list into differences with some context, and the unchanged sections between them. */
export function foldUnchanged(isSame: readonly boolean[]): DiffSection[] {
  const isShown = new Uint8Array(isSame.length)
  isSame.forEach((same, index) => {
    if (!same) isShown.fill(1, Math.max(index - CONTEXT, 0), index + CONTEXT + 1)
  })
  const stretches: DiffSection[] = []
  for (let from = 0; from < isShown.length; ) {
    let to = from
    while (to < isShown.length && isShown[to] === isShown[from]) to++
    const isFolded = isShown[from] === 0 && to - from >= LEAST
    const last = stretches.at(-1)
    if (last && !last.isFolded && !isFolded) last.to = to
    else stretches.push({ from, to, isFolded })
    from = to
  }
  return stretches
}
