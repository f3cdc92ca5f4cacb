/** Reproducible random choices from a seed. */
export class Dice {
  constructor(private state: number) {}

  /** An integer from 0 to `sides` - 1. */
  roll(sides: number): number {
    // mulberry32
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.roll(items.length)]!
  }

  /** Up to `most` distinct items. */
  some<Item>(items: readonly Item[], most: number): Item[] {
    const left = [...items]
    const taken: Item[] = []
    for (let n = 1 + this.roll(most); n > 0 && left.length > 0; n--) {
      taken.push(...left.splice(this.roll(left.length), 1))
    }
    return taken
  }

  id(): string {
    const hex = Array.from({ length: 4 }, () =>
      this.roll(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
}
