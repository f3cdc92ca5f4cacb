/** What the work makes of each item, in order, at most ten at a time. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += 10) results.push(...(await Promise.all(items.slice(at, at + 10).map(work))))
  return results
}
