/** Output of a command: data goes to standard output, messages go to standard error. */
export interface Output {
  /** Whether data is printed as JSON. */
  readonly isJson: boolean
  /** Prints data: as JSON with `--json`, otherwise formatted by `format`. */
  data<Data>(data: Data, format: (data: Data) => string): void
  /** Prints a message for the user, which is never part of the data. */
  message(text: string): void
}

interface Sink {
  write(text: string): unknown
}

export function createOutput(isJson: boolean, stdout: Sink = process.stdout, stderr: Sink = process.stderr): Output {
  return {
    isJson,
    data(data, format) {
      const text = isJson ? JSON.stringify(data, null, 2) : format(data)
      if (text !== '') stdout.write(`${text}\n`)
    },
    message: (text) => void stderr.write(`${text}\n`),
  }
}

export type Column<Row> = readonly [title: string, cell: (row: Row) => string | number | null | undefined]

/** Formats rows as a table with aligned columns; a missing value is printed as `-`. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, cell]) => removeControlCharacters(String(cell(row) ?? '-')))),
  ]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  const formatLine = (line: readonly string[]) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return cells.map(formatLine).join('\n')
}

/** Recorded text must not move the cursor or color the terminal. */
export function removeControlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

/** `2025-07-10 04:42:19` for an ISO time. */
export function formatTime(time: string | null | undefined): string | undefined {
  return time?.slice(0, 19).replace('T', ' ')
}

/** `850 ms`, `12.3 s`. */
export function formatSeconds(seconds: number | null | undefined): string | undefined {
  if (seconds == null) return undefined
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}

/** `12.3 %` for a share of 0.123. */
export function formatPercent(share: number | null | undefined): string | undefined {
  return share == null ? undefined : `${(share * 100).toFixed(1)} %`
}

/** At most four significant digits: `0.8333`, `12`, `0.0001`. */
export function formatNumber(number: number | null | undefined): string | undefined {
  return number == null ? undefined : String(Number(number.toPrecision(4)))
}

/** `850 kB`, `12.3 MB`: powers of 1000. */
export function formatBytes(bytes: number | null | undefined): string | undefined {
  if (bytes == null) return undefined
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`
}
