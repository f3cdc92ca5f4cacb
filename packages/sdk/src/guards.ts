/** True for any object, including arrays and class instances. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** True for an object that is not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value)
}

/** The object that a text is the JSON of; an empty one for any other text. */
export function parseRecord(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** True for a promise or another object with `then`; API clients also return functions with `then`. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (isObject(value) || typeof value === 'function') && 'then' in value && typeof value.then === 'function'
}
