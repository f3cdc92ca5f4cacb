/**
 * The value below which a share of all values lies, of lists that are sorted each, as the engine's `quantileExact` picks
 * it: the one at the place `share × count`, rounded down.
 *
 * @param lists  whole numbers, ascending
 * @param share  from 0 to below 1
 * @returns `undefined` of no values
 */
export function quantileOf(lists: readonly Float64Array[], share: number): number | undefined {
  const filled = lists.filter((list) => list.length > 0)
  const count = filled.reduce((sum, list) => sum + list.length, 0)
  if (count === 0) return undefined
  const place = Math.floor(share * count)
  let low = Math.min(...filled.map((list) => list[0]!))
  let high = Math.max(...filled.map((list) => list.at(-1)!))
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const upTo = filled.reduce((sum, list) => sum + countUpTo(list, middle), 0)
    if (upTo > place) high = middle
    else low = middle + 1
  }
  return low
}

/** How many values of a sorted list are not above a value. */
function countUpTo(list: Float64Array, value: number): number {
  let from = 0
  let to = list.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (list[middle]! <= value) from = middle + 1
    else to = middle
  }
  return from
}
