import type { PlainRoute, RouteAnswer } from '@touchstone/contract'
import type { RequestOf } from './request.ts'
import type { Transport } from './transport.ts'

/** The server's cap: asking for more would make a full page look like the last one. */
const PAGE_SIZE = 100

interface Window<Key> {
  /** Caps the total, not the page. */
  limit?: number | undefined
  offset?: number | undefined
  /** Member of the answer that holds the items; absent when the answer is the list. */
  key?: Key | undefined
}

/** @internal */
type ListOf<Answer, Key> = Key extends keyof Answer ? Answer[Key] : Answer

/** @internal */
type ItemOf<Route extends PlainRoute, Key> =
  ListOf<RouteAnswer<Route>, Key> extends readonly (infer Item)[] ? Item : never

/** Every item of an offset-paged list, lazily: a page is requested when the one before it is used up. @internal */
export async function* offsetPages<const Route extends PlainRoute, const Key extends string = ''>(
  transport: Transport,
  route: Route,
  request: RequestOf<Route>,
  window: Window<Key> = {},
): AsyncGenerator<ItemOf<Route, Key>> {
  let offset = window.offset ?? 0
  let left = window.limit ?? Number.POSITIVE_INFINITY
  while (left > 0) {
    const limit = Math.min(left, PAGE_SIZE)
    const query = { ...request.query, offset, limit } as RequestOf<Route>['query']
    const page = toItems<Route, Key>(await transport.call(route, { ...request, query }), window.key)
    yield* page
    if (page.length < limit) return
    offset += page.length
    left -= page.length
  }
}

/** Every item of a list paged by a `cursor` in the body and `cursors.next` in the answer. @internal */
export async function* cursorPages<const Route extends PlainRoute, const Key extends string>(
  transport: Transport,
  route: Route,
  request: RequestOf<Route> & { body: object },
  key: Key,
): AsyncGenerator<ItemOf<Route, Key>> {
  let cursor: string | null | undefined
  do {
    const body = cursor ? { ...request.body, cursor } : request.body
    const page = await transport.call(route, { ...request, body })
    yield* toItems<Route, Key>(page, key)
    cursor = (page as CursorPage).cursors?.next
  } while (cursor)
}

interface CursorPage {
  cursors?: { next?: string | null } | null
}

function toItems<Route extends PlainRoute, Key>(answer: unknown, key: string | undefined): ItemOf<Route, Key>[] {
  const items = key === undefined ? answer : (answer as Record<string, unknown>)[key]
  return (items ?? []) as ItemOf<Route, Key>[]
}
