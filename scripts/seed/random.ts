/** Random values that are equal for equal seeds, so that a demo, a screenshot and a bug report agree. */
export interface Chance {
  /** A number in [low, high). */
  between(low: number, high: number): number
  whole(low: number, high: number): number
  oneOf<Item>(items: readonly Item[]): Item
  /** True with the probability `share`. */
  happens(share: number): boolean
}

/** Mulberry32: small, fast, and sufficient for demo data. */
export function chanceFrom(seed: number): Chance {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (low: number, high: number) => low + next() * (high - low)
  return {
    between,
    whole: (low, high) => Math.floor(between(low, high)),
    oneOf: (items) => items[Math.floor(next() * items.length)]!,
    happens: (share) => next() < share,
  }
}
