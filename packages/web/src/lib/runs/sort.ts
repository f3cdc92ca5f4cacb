/** What a press on a header makes of a list's order: the largest first, then the smallest, then the first order again. */
export function nextSort(sort: string, column: string, first: string): string {
  if (sort === `-${column}`) return column
  return sort === column ? first : `-${column}`
}

/** How a header shows a list's order. */
export function getSortDirection(sort: string, column: string): 'ascending' | 'descending' | undefined {
  if (sort === column) return 'ascending'
  return sort === `-${column}` ? 'descending' : undefined
}
