/**
 * Where a text stops being JSON, counted in characters from 0. The engine's own messages do not always say.
 *
 * @returns the length of the text when it only ends too early
 */
export function jsonErrorPosition(text: string): number {
  const open: ('{' | '[')[] = []
  let wanted: Wanted = 'value'
  let at = 0
  for (;;) {
    SPACE.lastIndex = at
    SPACE.exec(text)
    at = SPACE.lastIndex
    const token = tokenAt(text, at)
    const next: Wanted | undefined = token === undefined ? undefined : follow(wanted, token[0], open)
    if (token === undefined || next === undefined) return at
    wanted = next
    at += token.length
  }
}

type Wanted = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing'

const SPACE = /[ \t\n\r]*/y
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
  /[{}[\],:]|"[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\0-\x1f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

function tokenAt(text: string, at: number): string | undefined {
  TOKEN.lastIndex = at
  return TOKEN.exec(text)?.[0]
}

/** What may come after a token; `undefined` when the token itself is not allowed. */
function follow(wanted: Wanted, first: string | undefined, open: ('{' | '[')[]): Wanted | undefined {
  const ends = first === '}' || first === ']'
  if (ends) {
    const isAllowed = wanted === ', or end' || (first === '}' ? wanted === 'key or }' : wanted === 'value or ]')
    return isAllowed && open.pop() === (first === '}' ? '{' : '[') ? afterValue(open) : undefined
  }
  if (first === ',') return wanted === ', or end' ? (open.at(-1) === '{' ? 'key' : 'value') : undefined
  if (first === ':') return wanted === ':' ? 'value' : undefined
  if (wanted === 'key' || wanted === 'key or }') return first === '"' ? ':' : undefined
  if (wanted !== 'value' && wanted !== 'value or ]') return undefined
  if (first !== '{' && first !== '[') return afterValue(open)
  open.push(first)
  return first === '{' ? 'key or }' : 'value or ]'
}

function afterValue(open: readonly string[]): Wanted {
  return open.length === 0 ? 'nothing' : ', or end'
}
