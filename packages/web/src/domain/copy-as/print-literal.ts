/** A JSON value as a literal of Python, indented by four spaces. */
export function printPython(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  // Strings of JSON are strings of Python.
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Array.isArray(value)
    ? value.map((item) => printPython(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printPython(item, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return open + close
  const [inner, outer] = ['    '.repeat(depth + 1), '    '.repeat(depth)]
  return `${open}\n${entries.map((entry) => `${inner}${entry},`).join('\n')}\n${outer}${close}`
}

/** A JSON value as a literal of TypeScript. */
export function printTypeScript(value: unknown): string {
  // As a plain key of a literal `__proto__` would set the prototype; in brackets it is a key like any other.
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"__proto__":/gm, '$1["__proto__"]:')
}

/** Quoted for a POSIX shell, whatever it holds. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
