import { parsePositiveInteger } from './arguments.ts'
import type { FlagSpec } from './command.ts'
import type { Output } from './output.ts'

const DEFAULT_LIMIT = 50

/** The flag of commands that list things. */
export const LIMIT_FLAG = {
  type: 'string',
  value: 'N',
  description: `maximum number of rows (default ${DEFAULT_LIMIT})`,
} as const satisfies FlagSpec

/** @throws UsageError when the limit is not a positive integer */
export function readLimit(text: string | undefined, fallback = DEFAULT_LIMIT): number {
  return parsePositiveInteger('limit', text) ?? fallback
}

/** Tells the user that a list may be longer than what is printed. */
export function printLimitNotice(output: Output, rows: readonly unknown[], limit: number): void {
  if (rows.length === limit) output.message(`Showing the first ${limit} rows. Use --limit to show more.`)
}

/** Reads a paged list into an array, up to `limit` items. */
export async function collect<Item>(
  pages: AsyncIterable<Item>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of pages) if (items.push(item) >= limit) break
  return items
}

const MAX_PARALLEL = 10

/** Maps items in order, at most ten at a time. */
export async function mapInParallel<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += MAX_PARALLEL) {
    results.push(...(await Promise.all(items.slice(from, from + MAX_PARALLEL).map(map))))
  }
  return results
}
