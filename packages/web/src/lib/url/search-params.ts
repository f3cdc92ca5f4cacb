/**
 * Parses search params as plain text: `?t=24h&errors=1`. The router's own JSON format quotes text that looks like a number
 * and turns numeric ids into numbers; here the schema of a route gives values their types.
 */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** `true` prints as 1; `undefined`, `null`, `false` and the empty string are left out. */
export function printSearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === false || value === '') continue
    params.set(name, value === true ? '1' : Array.isArray(value) ? value.join(',') : String(value))
  }
  const printed = params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return printed === '' ? '' : `?${printed}`
}
