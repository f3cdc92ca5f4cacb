/** Where a command puts what it has to say: data to standard output, talk to standard error. */
export interface Output {
  /** Whether data is printed as JSON. */
  readonly isJson: boolean
  /** Prints data: as JSON with `--json`, else whatever `text` makes of it. */
  data<Data>(data: Data, text: (data: Data) => string): void
  /** Says something to the person; never part of the data. */
  talk(sentence: string): void
}

interface Sink {
  write(text: string): unknown
}

export function createOutput(isJson: boolean, out: Sink = process.stdout, talk: Sink = process.stderr): Output {
  return {
    isJson,
    data(data, text) {
      const printed = isJson ? JSON.stringify(data, null, 2) : text(data)
      if (printed !== '') out.write(`${printed}\n`)
    },
    talk: (sentence) => void talk.write(`${sentence}\n`),
  }
}

export type Column<Row> = readonly [title: string, cell: (row: Row) => string | number | null | undefined]

/** Rows as a table of aligned columns; absent cells are a dash. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, cell]) => clean(String(cell(row) ?? '-')))),
  ]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]!.length)))
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** What a user recorded must not move the cursor or colour the terminal. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

/** `2025-07-10 04:42:19` of a time in the contract's form. */
export function shortTime(time: string | null | undefined): string | undefined {
  return time?.slice(0, 19).replace('T', ' ')
}

/** `850 ms`, `12.3 s`. */
export function shortSeconds(seconds: number | null | undefined): string | undefined {
  if (seconds == null) return undefined
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}

/** At most four significant digits: `0.8333`, `12`, `0.0001`. */
export function shortNumber(number: number | null | undefined): string | undefined {
  return number == null ? undefined : String(Number(number.toPrecision(4)))
}

/** `850 kB`, `12.3 MB`: powers of 1000. */
export function shortBytes(bytes: number | null | undefined): string | undefined {
  if (bytes == null) return undefined
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`
}
