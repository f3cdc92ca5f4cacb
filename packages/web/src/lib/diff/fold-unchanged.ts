/** A stretch of a list: shown, or folded because nothing in it differs and no difference is near. */
export interface Stretch {
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
