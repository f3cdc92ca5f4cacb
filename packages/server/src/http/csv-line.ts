/**
 * A line of a CSV file. Nothing is put before a cell that a spreadsheet might take for a formula: that would change the
 * data.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`
}

/** Quoted when it has to be; also with spaces at the ends, which some readers drop. */
function quoted(cell: string): string {
  return /[",\n\r]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
