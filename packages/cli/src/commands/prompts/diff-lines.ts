/** What stays and what changes between two texts, by line. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** Beyond so many pairs of lines that differ, they count as all different: exact would take minutes. */
const MOST_PAIRS = 4_000_000
const CONTEXT = 3

/** The shortest way from one text to the other. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++
  let tail = 0
  const most = Math.min(old.length, fresh.length) - head
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ sign: ' ', text }))
  return [
    ...same(old.slice(0, head)),
    ...changed(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]
}

/** Changed lines with three around them; `…` stands for what is left out. Empty when nothing changed. */
export function printDiff(lines: readonly DiffLine[]): string {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' ')
  const printed: string[] = []
  for (const [at, { sign, text }] of lines.entries()) {
    if (isNear(at)) printed.push(`${sign}${text}`)
    else if (printed.length > 0 && printed.at(-1) !== '…') printed.push('…')
  }
  if (printed.at(-1) === '…') printed.pop()
  return printed.join('\n')
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return text.replace(/\n$/, '').split('\n')
}

function changed(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const removed = old.map((text): DiffLine => ({ sign: '-', text }))
  const added = fresh.map((text): DiffLine => ({ sign: '+', text }))
  if (old.length * fresh.length > MOST_PAIRS) return [...removed, ...added]
  const common = commonAfter(old, fresh)
  const lines: DiffLine[] = []
  for (let [at, to] = [0, 0]; at < old.length || to < fresh.length; ) {
    const stays = at < old.length && to < fresh.length && old[at] === fresh[to]
    if (stays) lines.push({ sign: ' ', text: old[at]! })
    const drops = !stays && at < old.length && (to === fresh.length || common[at + 1]![to]! >= common[at]![to + 1]!)
    if (drops) lines.push(removed[at]!)
    if (!stays && !drops) lines.push(added[to]!)
    if (stays || drops) at++
    if (stays || !drops) to++
  }
  return lines
}

/** How many lines two endings have in common, by where they begin. */
function commonAfter(old: readonly string[], fresh: readonly string[]): Uint32Array[] {
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1))
  for (let at = old.length - 1; at >= 0; at--) {
    for (let to = fresh.length - 1; to >= 0; to--) {
      common[at]![to] =
        old[at] === fresh[to] ? common[at + 1]![to + 1]! + 1 : Math.max(common[at + 1]![to]!, common[at]![to + 1]!)
    }
  }
  return common
}
