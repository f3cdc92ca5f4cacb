/** Headers of a text with one header per line, or what is wrong with it. */
export type HeaderLines = { readonly values: Readonly<Record<string, string>> } | { readonly problem: string }

/** Reads `name: value` lines; empty lines are left out. */
export function readHeaderLines(text: string): HeaderLines {
  const values: [string, string][] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const at = line.indexOf(':')
    const name = line.slice(0, Math.max(at, 0)).trim()
    if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name)) {
      return { problem: `Line ${index + 1}: write a name, a colon and a value.` }
    }
    values.push([name, line.slice(at + 1).trim()])
  }
  return { values: Object.fromEntries(values) }
}

export function printHeaderLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
