/** One line of CSV. A cell that a spreadsheet would run as a formula starts with an apostrophe. */
export function printCsvLine(cells: readonly string[]): string {
  return `${cells.map(printCell).join(',')}\r\n`
}

function printCell(cell: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(cell) && !/^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(cell)
  const text = isFormula ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
