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

  /** Text that came from outside; throws a `SyntaxError` when it is no JSON. */
  static check(text: string): Cargo {
    return new Cargo(text, JSON.parse(text), true)
  }

  /** Text that was checked before, parsed only if somebody asks. */
  static trusted(text: string): Cargo {
    return new Cargo(text, undefined, false)
  }

  /** Text with the value that it was printed from or parsed to. */
  static of(text: string, value: unknown): Cargo {
    return new Cargo(text, value, true)
  }

  get value(): unknown {
    if (!this.#parsed) {
      this.#value = JSON.parse(this.text)
      this.#parsed = true
    }
    return this.#value
  }
}

/** Narrows to an object whose keys can be read; arrays and null are none. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}

/** Own member of an object, never one of the prototype's: traced keys may be called `constructor`. */
export function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}

/** Follows own members. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce(member, value)
}
