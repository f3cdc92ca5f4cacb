/** A paged list as one array: everything, or the first `limit` items. */
export async function collect<Item>(
  pages: AsyncIterable<Item>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of pages) if (items.push(item) >= limit) break
  return items
}
