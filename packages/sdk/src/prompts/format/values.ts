/** Values that templates name, the later before the earlier. */
export type Scope = readonly unknown[]

/** What an object itself has under a name: nothing of its prototype, and nothing that a template could call. */
export function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  const found = (value as Record<string, unknown>)[name]
  return typeof found === 'function' ? undefined : found
}

/** A value in a text: strings as they are, the rest as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? '')
}
