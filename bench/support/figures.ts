/** The value below which the given share of the sorted samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Prints rows as an aligned table with a header. */
export function printTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [
    header,
    ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : cell))),
  ]
  const widths = header.map((_, column) => Math.max(...cells.map((row) => String(row[column] ?? '').length)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => pad(String(cell ?? ''), widths[column]!, column)).join('   ')
  console.log(line(cells[0] as string[]))
  console.log(widths.map((width) => '-'.repeat(width)).join('   '))
  for (const row of cells.slice(1)) console.log(line(row as string[]))
}

export function formatNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)
}

function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width)
}
