import { outlineJson } from '../json/outline-json.ts'

/** Larger texts are parsed no further than anything is derived from. */
const MAX_PARSED_LENGTH = 256 * 1024

/** A payload of the user: the JSON text as it came, and its value for whoever derives something from it. */
export class Cargo {
  #value: unknown
  #parsed: boolean

  private constructor(
    readonly text: string,
    value: unknown,
    parsed: boolean,
  ) {
    this.#value = value
    this.#parsed = parsed
  }

  /** Text that was checked before, parsed only when its value is asked for; a large one is only outlined. */
  static trusted(text: string): Cargo {
    return new Cargo(text, undefined, false)
  }

  /** Text with the value that it was printed from or parsed to. */
  static of(text: string, value: unknown): Cargo {
    return new Cargo(text, value, true)
  }

  get value(): unknown {
    if (!this.#parsed) {
      this.#value = this.text.length > MAX_PARSED_LENGTH ? outlineJson(this.text) : (JSON.parse(this.text) as unknown)
      this.#parsed = true
    }
    return this.#value
  }
}
