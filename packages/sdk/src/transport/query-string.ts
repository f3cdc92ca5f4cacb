export type QueryValue = string | number | boolean | Date | readonly (string | number)[] | null | undefined
export type Query = Readonly<Record<string, QueryValue>>

/** `?a=1&id=x&id=y`, or nothing at all: absent values are left out, arrays repeat their key. */
export function queryString(query: Query = {}): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    for (const item of Array.isArray(value) ? value : [value]) params.append(key, toText(item))
  }
  const text = params.toString()
  return text ? `?${text}` : ''
}

function toText(value: string | number | boolean | Date): string {
  return value instanceof Date ? value.toISOString() : String(value)
}
