/** Unpredictable outside the process. */
function createMark(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  return `\u007fdigits-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}:`
}

/** Stands before digits while a text is parsed or printed. */
export const MARK = /* @__PURE__ */ createMark()

let printed = 0

/** How many marks were printed so far: a text is searched for marks only when some were. */
export function countPrinted(): number {
  return printed
}

/** A number that JavaScript cannot hold, with its digits as received. `printJson` prints it as a number. */
export class Digits {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }

  /** What `JSON.stringify` prints; `printJson` takes the mark and the quotes away. */
  toJSON(): string {
    printed++
    return MARK + this.#text
  }
}
