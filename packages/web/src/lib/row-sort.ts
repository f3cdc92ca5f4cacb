/** The value of a row in a column; null and undefined while unknown, which sort last in both directions. */
export type SortKey<Row> = (row: Row) => number | string | null | undefined

/** Columns that begin ascending when the user sorts by them; figures and times begin with the largest. */
const TEXT_COLUMNS = new Set(['name', 'type'])

/**
 * Sorts rows by a column, and rows with equal values by name.
 *
 * @param sort    a column id, with `-` in front for descending; unknown ids sort by name
 * @param keys    column id → value
 * @param toName  the name of a row
 */
export function sortRows<Row>(
  rows: readonly Row[],
  sort: string,
  keys: Readonly<Record<string, SortKey<Row>>>,
  toName: (row: Row) => string,
): Row[] {
  const isDescending = sort.startsWith('-')
  const id = isDescending ? sort.slice(1) : sort
  const key = Object.hasOwn(keys, id) ? keys[id] : undefined
  const byName = (row: Row) => toName(row).toLowerCase()
  const toValue = key ?? byName
  return rows.toSorted((a, b) => {
    const [x, y] = [toValue(a), toValue(b)]
    const [isKnown, isOtherKnown] = [x != null, y != null]
    if (isKnown !== isOtherKnown) return isKnown ? -1 : 1
    if (x == null || y == null || x === y) return toName(a).localeCompare(toName(b))
    return (x < y ? -1 : 1) * (isDescending ? -1 : 1)
  })
}

/** The sort after a click on a header: figures start descending, texts ascending, and a second click reverses. */
export function nextSort(current: string, column: string): string {
  const [first, second] = TEXT_COLUMNS.has(column) ? [column, `-${column}`] : [`-${column}`, column]
  return current === first ? second : first
}

export function getSortDirection(sort: string, column: string): 'ascending' | 'descending' | undefined {
  if (sort === column) return 'ascending'
  return sort === `-${column}` ? 'descending' : undefined
}
