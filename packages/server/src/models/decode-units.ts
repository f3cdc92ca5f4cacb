/** Takes a unit of a text (a UTF-16 unit, or a byte of a URL), and where it begins and ends in the text as it was sent. */
export interface UnitReader {
  take(unit: number, start: number, end: number): void
  /** The text has ended. */
  finish(): void
}

export const BACKSLASH = 0x5c
export const PERCENT = 0x25
const LETTER_U = 0x75

interface KeptUnit {
  readonly unit: number
  readonly start: number
  readonly end: number
}

/** Keeps the units of an escape until it is complete; they are passed on as they are when it is none. */
abstract class Decoder<Next extends UnitReader> implements UnitReader {
  #kept: KeptUnit[] = []

  constructor(readonly next: Next) {}

  abstract take(unit: number, start: number, end: number): void

  finish(): void {
    this.passOn()
    this.next.finish()
  }

  /** Where the kept units begin; undefined for none. */
  get openAt(): number | undefined {
    return this.#kept[0]?.start
  }

  /** Keeps the same units as another decoder of the same text. */
  protected keepLike(other: Decoder<Next>): void {
    this.#kept = [...other.#kept]
  }

  protected get kept(): readonly KeptUnit[] {
    return this.#kept
  }

  protected keep(unit: number, start: number, end: number): void {
    this.#kept.push({ unit, start, end })
  }

  /** Passes on one unit in place of the kept ones. */
  protected replace(unit: number, end: number): void {
    const start = this.openAt ?? end
    this.#kept = []
    this.next.take(unit, start, end)
  }

  protected passOn(): void {
    for (const { unit, start, end } of this.#kept) this.next.take(unit, start, end)
    this.#kept = []
  }
}

/** Undoes one level of escapes as JSON and programs write them: `\uXXXX`, and a backslash before anything but a word character. */
export class EscapeDecoder<Next extends UnitReader> extends Decoder<Next> {
  copy(next: Next): EscapeDecoder<Next> {
    const copy = new EscapeDecoder(next)
    copy.keepLike(this)
    return copy
  }

  take(unit: number, start: number, end: number): void {
    const { length } = this.kept
    if (length === 0) {
      if (unit === BACKSLASH) this.keep(unit, start, end)
      else this.next.take(unit, start, end)
    } else if (length === 1 && unit !== LETTER_U && !isWord(unit)) {
      this.replace(unit, end)
    } else if (length === 1 ? unit === LETTER_U : toDigit(unit) >= 0) {
      if (length < 5) this.keep(unit, start, end)
      else this.replace(toNumber([...this.kept.slice(2).map((digit) => digit.unit), unit]), end)
    } else {
      this.passOn()
      this.take(unit, start, end)
    }
  }
}

/** Undoes one level of the escapes of URLs; the units are then bytes. */
export class PercentDecoder<Next extends UnitReader> extends Decoder<Next> {
  take(unit: number, start: number, end: number): void {
    const [, high] = this.kept
    if (this.kept.length === 0) {
      if (unit === PERCENT) this.keep(unit, start, end)
      else this.next.take(unit, start, end)
    } else if (toDigit(unit) >= 0) {
      if (high === undefined) this.keep(unit, start, end)
      else this.replace(toNumber([high.unit, unit]), end)
    } else {
      this.passOn()
      this.take(unit, start, end)
    }
  }
}

const toNumber = (digits: readonly number[]) => digits.reduce((value, digit) => value * 16 + toDigit(digit), 0)

/** The value of a hexadecimal digit; -1 for another unit. */
function toDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const lower = unit | 0x20
  return unit < 0x80 && lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

function isWord(unit: number): boolean {
  const lower = unit | 0x20
  return (unit >= 0x30 && unit <= 0x39) || (unit < 0x80 && lower >= 0x61 && lower <= 0x7a) || unit === 0x5f
}
