/**
 * The exact text of one field of a JSON object, for comparing payloads byte for byte without a parser that would round
 * integers, merge duplicate keys or overflow the stack.
 */
export function rawField(text: string, field: string): string | undefined {
  let at = text.indexOf('{') + 1
  while (at < text.length) {
    at = skipSpace(text, at)
    if (text[at] !== '"') return undefined
    const nameEnd = skipValue(text, at)
    const name: unknown = JSON.parse(text.slice(at, nameEnd))
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const valueEnd = skipValue(text, valueStart)
    if (name === field) return text.slice(valueStart, valueEnd)
    at = skipSpace(text, valueEnd) + 1
  }
  return undefined
}

/** Index after the value that starts at `at`. */
function skipValue(text: string, at: number): number {
  if (text[at] === '"') return skipString(text, at)
  if (text[at] !== '{' && text[at] !== '[') return /[^,\]}\s]*/y.exec(text.slice(at, at + 400))![0].length + at
  let depth = 0
  for (let end = at; end < text.length; end++) {
    const sign = text[end]
    if (sign === '"') end = skipString(text, end) - 1
    else if (sign === '{' || sign === '[') depth++
    else if ((sign === '}' || sign === ']') && --depth === 0) return end + 1
  }
  throw new Error('The JSON ends before the value does.')
}

function skipString(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++
    else if (text[end] === '"') return end + 1
  }
  throw new Error('The JSON ends inside a string.')
}

function skipSpace(text: string, at: number): number {
  let end = at
  while (end < text.length && ' \n\r\t'.includes(text[end]!)) end++
  return end
}
