/** What can stand between the cells of a CSV file, with the words for messages. */
export const CSV_DELIMITERS = [
  { value: ',', label: 'Comma', plural: 'commas' },
  { value: ';', label: 'Semicolon', plural: 'semicolons' },
  { value: '\t', label: 'Tab', plural: 'tabs' },
  { value: '|', label: 'Vertical bar', plural: 'vertical bars' },
] as const

/** Characters at the start of a file that are enough to find its header. */
export const CSV_HEAD_CHARACTERS = 64 * 1024

/**
 * The delimiter of a file: the first one with which its header has all wanted columns, else the one that makes the most
 * columns of the header, else a comma.
 *
 * @param head  the start of the file
 */
export function detectCsvDelimiter(head: string, wanted: readonly string[] = []): string {
  const found = CSV_DELIMITERS.map(({ value }) => ({ value, header: readCsvHeader(head, value) }))
  const fits = wanted.length === 0 ? undefined : found.find(({ header }) => hasColumns(header, wanted))
  if (fits !== undefined) return fits.value
  return found.reduce((best, one) => (one.header.length > best.header.length ? one : best)).value
}

const hasColumns = (header: readonly string[], wanted: readonly string[]) => {
  const names = new Set(nameCsvColumns(header))
  return wanted.every((name) => names.has(name.trim()))
}

/** The cells of the first line that is not empty; a quoted cell may hold delimiters, quotes and line breaks. */
export function readCsvHeader(head: string, delimiter: string): string[] {
  const text = head.replace(/^\uFEFF/, '').replace(/^[\r\n]+/, '')
  const cells: string[] = []
  let cell = ''
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"' && cell === '') {
      const end = findClosingQuote(text, at)
      cell = text.slice(at + 1, end).replaceAll('""', '"')
      at = end
    } else if (character === delimiter) {
      cells.push(cell)
      cell = ''
    } else if (character === '\n' || character === '\r') break
    else cell += character
  }
  return [...cells, cell]
}

function findClosingQuote(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] !== '"') continue
    if (text[at + 1] !== '"') return at
    at++
  }
  return text.length
}

/**
 * Names of the columns of a file: each one once, so that no column hides another. A title that was there before gets its
 * number (`answer (column 3)`), and so does an empty one (`Column 3`).
 */
export function nameCsvColumns(header: readonly string[]): string[] {
  const titles = header.map((title) => title.trim())
  const taken = new Set(titles)
  const seen = new Set<string>()
  return titles.map((title, index) => {
    const isFirst = title !== '' && !seen.has(title)
    seen.add(title)
    if (isFirst) return title
    let name = title === '' ? `Column ${index + 1}` : `${title} (column ${index + 1})`
    while (taken.has(name)) name = `${name} (column ${index + 1})`
    taken.add(name)
    return name
  })
}

/**
 * Where the wanted columns stand. A title that several columns have is refused unless all of them are wanted: one of them
 * would be left out in silence.
 *
 * @returns wanted name → position, or what is wrong in a sentence
 */
export function findCsvColumns(
  header: readonly string[],
  wanted: readonly string[],
  delimiter: string,
): { readonly ok: ReadonlyMap<string, number> } | { readonly problem: string } {
  const names = nameCsvColumns(header)
  const byName = new Map(names.map((name, at) => [name, at]))
  const positions = new Map(wanted.map((name) => [name, byName.get(name.trim()) ?? -1]))
  const missing = [...positions].flatMap(([name, at]) => (at === -1 ? [quote(name)] : []))
  if (missing.length > 0) {
    const { plural } = CSV_DELIMITERS.find(({ value }) => value === delimiter) ?? CSV_DELIMITERS[0]
    const shown = names.slice(0, MAX_SHOWN).map(quote).join(', ')
    const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : ''
    return {
      problem: `The file has no column ${missing.join(', ')}. Read with ${plural} between the cells, its columns are ${shown}${more}.`,
    }
  }
  const found = new Set(positions.values())
  const byTitle = groupByTitle(header)
  for (const [name, at] of positions) {
    const copies = byTitle.get(header[at]?.trim() ?? '') ?? []
    if (copies.every((index) => found.has(index))) continue
    const shown = copies.slice(0, MAX_SHOWN)
    const more = copies.length > MAX_SHOWN ? ` and ${copies.length - MAX_SHOWN} more` : ''
    const numbers = shown.map((index) => index + 1).join(' and ')
    const each = shown.map((index) => quote(names[index] ?? '')).join(' and ')
    return {
      problem: `The file has the column ${quote(name)} more than once (columns ${numbers}${more}). Rename them, or name each one: ${each}${more}.`,
    }
  }
  return { ok: positions }
}

/** Positions of the columns by title, without those that have none. */
function groupByTitle(header: readonly string[]): Map<string, number[]> {
  const byTitle = new Map<string, number[]>()
  for (const [at, cell] of header.entries()) {
    const title = cell.trim()
    if (title === '') continue
    const positions = byTitle.get(title)
    if (positions === undefined) byTitle.set(title, [at])
    else positions.push(at)
  }
  return byTitle
}

const MAX_SHOWN = 20
const quote = (name: string) => JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
