import type { CsvReader } from '@touchstone/contract'

/** A line of a CSV file. @param reader  absent: every cell as it is */
export function csvLine(cells: readonly string[], reader?: CsvReader | null): string {
  const written = reader === 'spreadsheet' ? cells.map(withoutFormula) : cells
  return `${written.map(quoted).join(',')}\n`
}

/**
 * A cell that spreadsheets show as text: what would begin a formula gets an apostrophe before it
 * (https://owasp.org/www-community/attacks/CSV_Injection), also behind spaces and quotes, which some of them drop. Plain
 * numbers stay numbers.
 */
export function withoutFormula(cell: string): string {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(cell)) return cell
  return /^[\s"']*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell
}

/** Quoted when it has to be; also with spaces at the ends, which some readers drop. */
function quoted(cell: string): string {
  return /[",\n\r]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
