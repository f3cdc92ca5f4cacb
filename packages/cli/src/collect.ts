/** Everything of a paged list, as one array. */
export async function collect<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of pages) items.push(item)
  return items
}
