import type { Example } from '@touchstone/sdk'

/** A row of the list. Its example is absent while its page is loading. */
export interface ExampleRow {
  id: string
  /** Position in the list, from 0. */
  index: number
  example?: Example
}

/** Rows without examples, created once: a list of 100,000 examples has at most a few hundred others. */
const EMPTY_ROWS: ExampleRow[] = []

/** The last row of an example, so that rows in view keep their identity while other pages load. */
const ROWS = new WeakMap<Example, ExampleRow>()

function toRow(example: Example, index: number): ExampleRow {
  const known = ROWS.get(example)
  if (known?.index === index) return known
  const row = { id: example.id, index, example }
  ROWS.set(example, row)
  return row
}

/**
 * The rows of a list of any length.
 *
 * @param pages  the loaded pages by number
 */
export function toExampleRows(
  count: number,
  pages: ReadonlyMap<number, readonly Example[]>,
  pageSize: number,
): readonly ExampleRow[] {
  for (let index = EMPTY_ROWS.length; index < count; index++) EMPTY_ROWS.push({ id: toEmptyId(index), index })
  const rows = EMPTY_ROWS.slice(0, count)
  for (const [page, examples] of pages) {
    for (const [offset, example] of examples.entries()) {
      const index = page * pageSize + offset
      if (index < count) rows[index] = toRow(example, index)
    }
  }
  return rows
}

const toEmptyId = (index: number) => `#${index}`

/** Whether a row's id is that of an example. */
export function isExampleId(id: string): boolean {
  return !id.startsWith('#')
}

/** Numbers of the pages with the rows from `from` to before `to`. */
export function getPages(from: number, to: number, pageSize: number): number[] {
  const first = Math.floor(from / pageSize)
  const last = Math.floor(Math.max(to - 1, from) / pageSize)
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}
