/**
 * Formats a line of a CSV file: the one writer of server and web.
 *
 * @param reader  `spreadsheet`: cells that a spreadsheet would run as a formula are shown as text; absent: cells are not changed
 */
export function csvLine(cells: readonly string[], reader?: 'spreadsheet' | null): string {
  const written = reader === 'spreadsheet' ? cells.map(withoutFormula) : cells
  return `${written.map(quoted).join(',')}\n`
}

/** Goes before the first line of a file for a spreadsheet: Excel reads a file without it in the character set of the country. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** The text of a file for a spreadsheet. Reading a response as text drops its byte order mark. */
export const withByteOrderMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text : BYTE_ORDER_MARK + text

/** The first line of a file, which names its columns. */
export function csvHeader(cells: readonly string[], reader?: 'spreadsheet' | null): string {
  return `${reader === 'spreadsheet' ? BYTE_ORDER_MARK : ''}${csvLine(cells, reader)}`
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
/** After what is not visible (spaces, controls, zero-width and direction marks) and quotes, which some spreadsheets drop. */
const FORMULA = /^[\s\p{Cc}\p{Cf}"']*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/u

/**
 * Makes spreadsheets show a cell as text: a cell that would begin a formula gets an apostrophe before it
 * (https://owasp.org/www-community/attacks/CSV_Injection). Plain numbers are not changed.
 */
export function withoutFormula(cell: string): string {
  return !NUMBER.test(cell) && FORMULA.test(cell) ? `'${cell}` : cell
}

/** Quotes a cell where necessary; also with spaces at the ends, which some readers drop. */
function quoted(cell: string): string {
  return /[",\n\r]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
