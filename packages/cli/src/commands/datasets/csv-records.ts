import { UsageError } from '../../flags.ts'

export interface CsvRecord {
  /** From 1, where the record starts. */
  line: number
  cells: string[]
}

/**
 * Records of CSV text (RFC 4180) that arrives in pieces: cells in quotes may hold commas, quotes (doubled) and line ends.
 * Empty lines are passed over.
 *
 * @throws UsageError when a quoted cell does not end, or goes on after its quote
 */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let cells: string[] = []
  let cell = ''
  let state: 'start' | 'plain' | 'quoted' | 'quote' = 'start'
  let line = 1
  let startedAt = 1
  let isFirst = true
  for await (const chunk of chunks) {
    for (const character of isFirst ? chunk.replace(/^\uFEFF/, '') : chunk) {
      if (character === '\n') line++
      if (state === 'quoted') {
        if (character === '"') state = 'quote'
        else cell += character
      } else if (state === 'quote' && character === '"') {
        cell += '"'
        state = 'quoted'
      } else if (character === ',') {
        cells.push(cell)
        cell = ''
        state = 'start'
      } else if (character === '\n') {
        if (cells.length > 0 || cell !== '' || state === 'quote') yield { line: startedAt, cells: [...cells, cell] }
        cells = []
        cell = ''
        state = 'start'
        startedAt = line
      } else if (character === '"' && state === 'start') state = 'quoted'
      else if (character === '\r') {
        // Half of a line end, or noise.
      } else if (state === 'quote') throw new UsageError(`Line ${line}: text follows a closing quote.`)
      else {
        cell += character
        state = 'plain'
      }
    }
    isFirst = false
  }
  if (state === 'quoted') throw new UsageError(`The quote that opens after line ${startedAt} is never closed.`)
  if (cells.length > 0 || cell !== '' || state === 'quote') yield { line: startedAt, cells: [...cells, cell] }
}
