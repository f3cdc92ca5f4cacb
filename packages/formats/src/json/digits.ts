/** Unpredictable outside the process. Almost no text has its first character, so that a search for it is fast. */
function createMark(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  return `\u007fdigits-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}:`
}

/** Stands before digits while a text is parsed or printed. */
export const MARK = createMark()

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
    return MARK + this.#text
  }
}
