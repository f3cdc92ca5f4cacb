/** The order after a click on a column header: descending, then ascending, then the initial order. */
export function nextSort(sort: string, column: string, first: string): string {
  if (sort === `-${column}`) return column
  return sort === column ? first : `-${column}`
}

/** The sort direction that a column header shows. */
export function getSortDirection(sort: string, column: string): 'ascending' | 'descending' | undefined {
  if (sort === column) return 'ascending'
  return sort === `-${column}` ? 'descending' : undefined
}
