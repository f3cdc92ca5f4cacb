/** One remembered choice of this browser, e.g. a density or a column order. */
export interface Preference<Value> {
  read(): Value
  write(value: Value): void
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void
}

/**
 * @param name      short and stable; stored as `touchstone.<name>`
 * @param fallback  used when nothing, or nothing `check` accepts, is stored
 * @param check     guards against what older versions wrote
 */
export function preference<Value>(
  name: string,
  fallback: Value,
  check: (value: unknown) => value is Value,
): Preference<Value> {
  const key = `touchstone.${name}`
  const listeners = new Set<() => void>()
  let value: Value | undefined
  return {
    read() {
      value ??= parse(localStorage.getItem(key), check) ?? fallback
      return value
    },
    write(next) {
      value = next
      localStorage.setItem(key, JSON.stringify(next))
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function parse<Value>(text: string | null, check: (value: unknown) => value is Value): Value | undefined {
  if (text === null) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return check(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A check for a choice of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]) {
  return (value: unknown): value is Word => words.includes(value as Word)
}

export const isText = (value: unknown): value is string => typeof value === 'string'
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
/** Numbers by name, e.g. widths by column. */
export const isNumbersByName = (value: unknown): value is Record<string, number> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isNumber)
export const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
