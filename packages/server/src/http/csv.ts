import type { CsvReader } from '@touchstone/contract'

/** Formats a line of a CSV file. @param reader  absent: cells are not changed */
export function csvLine(cells: readonly string[], reader?: CsvReader | null): string {
  const written = reader === 'spreadsheet' ? cells.map(withoutFormula) : cells
  return `${written.map(quoted).join(',')}\n`
}

/**
 * Makes spreadsheets show a cell as text: a cell that would begin a formula gets an apostrophe before it
 * (https://owasp.org/www-community/attacks/CSV_Injection), also after spaces and quotes, which some of them drop. Plain
 * numbers are not changed.
 */
export function withoutFormula(cell: string): string {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(cell)) return cell
  return /^[\s"']*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell
}

/** Quotes a cell where necessary; also with spaces at the ends, which some readers drop. */
function quoted(cell: string): string {
  return /[",\n\r]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
