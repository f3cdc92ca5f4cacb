/**
 * Heights of a list's blocks, guessed until they are measured, with the sums a scroll position asks for in O(log n): a
 * Fenwick tree.
 */
export class HeightMap {
  #heights: number[] = []
  #sums: number[] = [0]
  #top = 1

  /** @param guess px of a block that was not measured yet */
  constructor(readonly guess: number) {}

  get count(): number {
    return this.#heights.length
  }

  get total(): number {
    return this.topOf(this.count)
  }

  /** Appends guessed blocks, or drops blocks at the end. */
  resize(count: number): void {
    if (count === this.count) return
    this.#heights = Array.from({ length: count }, (_, at) => this.#heights[at] ?? this.guess)
    this.#sums = [0, ...this.#heights]
    for (let at = 1; at <= count; at++) {
      const parent = at + (at & -at)
      if (parent <= count) this.#sums[parent]! += this.#sums[at]!
    }
    this.#top = 1
    while (this.#top * 2 <= count) this.#top *= 2
  }

  /** @returns by how many px the block grew */
  set(index: number, height: number): number {
    const grown = height - (this.#heights[index] ?? height)
    if (grown === 0) return 0
    this.#heights[index] = height
    for (let at = index + 1; at <= this.count; at += at & -at) this.#sums[at]! += grown
    return grown
  }

  heightOf(index: number): number {
    return this.#heights[index] ?? this.guess
  }

  /** Px above a block. */
  topOf(index: number): number {
    let sum = 0
    for (let at = Math.min(index, this.count); at > 0; at -= at & -at) sum += this.#sums[at]!
    return sum
  }

  /** The block at a distance from the top; the last one below all. */
  at(px: number): number {
    let [index, left] = [0, px]
    for (let step = this.#top; step > 0; step = Math.floor(step / 2)) {
      const next = index + step
      if (next <= this.count && this.#sums[next]! <= left) {
        index = next
        left -= this.#sums[next]!
      }
    }
    return Math.max(Math.min(index, this.count - 1), 0)
  }
}
