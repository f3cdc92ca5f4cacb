import { diffLines, diffWordsWithSpace } from 'diff'

/** A piece of a line; marked where it differs from the line on the other side. */
export interface Piece {
  text: string
  marked: boolean
}

export interface TextLine {
  kind: 'same' | 'added' | 'removed'
  pieces: Piece[]
}

/** Beyond this the words of two texts are not told apart any more, only their lines. */
const PATIENCE_MS = 2_000

/** Two texts line by line; of a line that was changed, the words that differ are marked. Nothing is cut. */
export function diffText(a: string, b: string): TextLine[] {
  const until = Date.now() + PATIENCE_MS
  const parts = diffLines(a, b, { timeout: PATIENCE_MS }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ]
  const lines: TextLine[] = []
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    const next = parts[i + 1]
    if (part.removed && next?.added) {
      lines.push(...changedLines(linesOf(part.value), linesOf(next.value), until))
      i++
    } else {
      const kind = part.added ? 'added' : part.removed ? 'removed' : 'same'
      lines.push(...linesOf(part.value).map((text): TextLine => ({ kind, pieces: [{ text, marked: false }] })))
    }
  }
  return lines
}

/** Lines that took each other's place: the removed ones, then the added ones, each with its words marked. */
function changedLines(removed: readonly string[], added: readonly string[], until: number): TextLine[] {
  const pairs = Math.min(removed.length, added.length)
  const [gone, come]: [TextLine[], TextLine[]] = [[], []]
  for (let i = 0; i < Math.max(removed.length, added.length); i++) {
    const [old, fresh] = [removed[i], added[i]]
    const words =
      i < pairs && Date.now() < until
        ? diffWordsWithSpace(old!, fresh!, { timeout: Math.max(until - Date.now(), 1) })
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

function linesOf(text: string): string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** A stretch of a list: shown, or folded because nothing in it differs and no difference is near. */
interface Stretch {
  from: number
  to: number
  isFolded: boolean
}

/** Unchanged items beside a difference that stay in sight. */
const CONTEXT = 3
/** Fewer items than this are not worth folding. */
const LEAST = 4

/** Cuts a list into what differs, with some of its surroundings, and the unchanged stretches between. */
export function foldUnchanged(isSame: readonly boolean[]): Stretch[] {
  const isShown = new Uint8Array(isSame.length)
  isSame.forEach((same, index) => {
    if (!same) isShown.fill(1, Math.max(index - CONTEXT, 0), index + CONTEXT + 1)
  })
  const stretches: Stretch[] = []
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
