import type { Call, Transport } from './transport.ts'

/** The server's cap: asking for more would make a full page look like the last one. */
const PAGE_SIZE = 100

interface Window {
  /** Caps the total, not the page. */
  limit?: number | undefined
  offset?: number | undefined
  /** Where an answer that is no array holds its items. */
  key?: string | undefined
}

/** Every item of an offset-paged list, lazily: a page is requested when the one before it is used up. */
export async function* offsetPages<T>(transport: Transport, call: Call, window: Window = {}): AsyncGenerator<T> {
  let offset = window.offset ?? 0
  let left = window.limit ?? Number.POSITIVE_INFINITY
  while (left > 0) {
    const limit = Math.min(left, PAGE_SIZE)
    const answer = await transport.json<unknown>({ ...call, query: { ...call.query, offset, limit } })
    const page = ((window.key === undefined ? answer : (answer as Record<string, T[]>)[window.key]) ?? []) as T[]
    yield* page
    if (page.length < limit) return
    offset += page.length
    left -= page.length
  }
}

interface CursorPage {
  cursors?: { next?: string | null } | null
}

/** Every item of a list paged by a `cursor` in the body and `cursors.next` in the answer. */
export async function* cursorPages<T, Key extends string>(
  transport: Transport,
  call: Call & { body: object },
  key: Key,
): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const body = cursor ? { ...call.body, cursor } : call.body
    const page = await transport.json<CursorPage & { [K in Key]?: T[] }>({ ...call, body })
    const items = page[key]
    if (!items) return
    yield* items
    cursor = page.cursors?.next ?? undefined
  } while (cursor)
}
