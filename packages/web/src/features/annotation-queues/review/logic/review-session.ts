/** The items that one reviewer walks through. Items are known by id; their content is elsewhere. */
export interface ReviewSession {
  /** Items that were opened, in order. */
  trail: readonly string[]
  /** Place of the open item in the trail; undefined before the first and after the last item. */
  at: number | undefined
  /** Items that wait and were not shown yet, in order. */
  waiting: readonly string[]
  /** Items that this reviewer moved to the end; they are shown when no other item waits. */
  skipped: readonly string[]
  /** How many items were skipped, one that was skipped twice counted twice. */
  skips: number
  /** Items that this reviewer completed in this session. */
  done: ReadonlySet<string>
  /** Items that others took. */
  lost: ReadonlySet<string>
  /** Milliseconds from seeing an item to completing it, one per completed item. */
  durations: ReadonlyMap<string, number>
  /** When the open item was shown, in epoch ms. */
  shownAtMs: number
}

export type SessionAction =
  /** More waiting items from the server, in its order. */
  | { kind: 'loaded'; ids: readonly string[]; nowMs: number }
  /** Opens an item by id, for example from the URL. */
  | { kind: 'open'; id: string; nowMs: number }
  | { kind: 'done'; nowMs: number }
  /** Moves the open item to the end, for this reviewer. With an id, only if that item is still the open one. */
  | { kind: 'skip'; id?: string; nowMs: number }
  | { kind: 'previous'; nowMs: number }
  /** Opens the item that was completed last. */
  | { kind: 'undo'; nowMs: number }
  /** A completed item could not be stored as such. */
  | { kind: 'failed'; id: string; nowMs: number }
  /** Others hold an item. */
  | { kind: 'lost'; id: string; nowMs: number }

export const EMPTY_SESSION: ReviewSession = {
  trail: [],
  at: undefined,
  waiting: [],
  skipped: [],
  skips: 0,
  done: new Set(),
  lost: new Set(),
  durations: new Map(),
  shownAtMs: 0,
}

/** Longer looks are breaks. */
const MAX_LOOK_MS = 30 * 60_000

export function reduceSession(session: ReviewSession, action: SessionAction): ReviewSession {
  switch (action.kind) {
    case 'loaded':
      return addWaiting(session, action.ids, action.nowMs)
    case 'open':
      return openItem(session, action.id, action.nowMs)
    case 'done':
      return completeItem(session, action.nowMs)
    case 'skip':
      return action.id === undefined || action.id === getOpenItem(session) ? skipItem(session, action.nowMs) : session
    case 'previous':
      return session.at !== undefined && session.at === 0
        ? session
        : showAt(session, (session.at ?? session.trail.length) - 1, action.nowMs)
    case 'undo':
      return reopenLast(session, action.nowMs)
    case 'failed':
      return { ...session, done: new Set([...session.done].filter((id) => id !== action.id)) }
    case 'lost':
      return { ...withoutWaiting(session, action.id), lost: add(session.lost, action.id) }
  }
}

/** Id of the open item. */
export function getOpenItem({ trail, at }: ReviewSession): string | undefined {
  return at === undefined ? undefined : trail[at]
}

/** The item that would be reopened. */
export function findLastDone({ trail, done }: ReviewSession): string | undefined {
  return trail.findLast((id) => done.has(id))
}

/** The items after the open one, for prefetching. */
export function listNext(session: ReviewSession, count: number): string[] {
  const later = session.at === undefined ? [] : session.trail.slice(session.at + 1)
  return [...later, ...session.waiting, ...session.skipped].slice(0, count)
}

/** Whether more items should be read. Skipped ones do not count: reading them again would never reach the others. */
export function isLow({ waiting }: ReviewSession, few: number): boolean {
  return waiting.length < few
}

/** Median of the times per item in ms; undefined before the first one. */
export function getMedianMs({ durations }: ReviewSession): number | undefined {
  const sorted = [...durations.values()].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

function addWaiting(session: ReviewSession, ids: readonly string[], nowMs: number): ReviewSession {
  const { trail, skipped, done, lost } = session
  const known = new Set([...trail, ...session.waiting, ...skipped, ...done, ...lost])
  const waiting = [...session.waiting, ...ids.filter((id) => !known.has(id))]
  const grown = { ...session, waiting }
  return session.at === undefined && waiting.length > 0 ? showNext(grown, nowMs) : grown
}

function openItem(session: ReviewSession, id: string, nowMs: number): ReviewSession {
  const found = session.trail.indexOf(id)
  if (found >= 0) return found === session.at ? session : showAt(session, found, nowMs)
  const trail = [...session.trail, id]
  return { ...withoutWaiting(session, id), trail, at: trail.length - 1, shownAtMs: nowMs }
}

function completeItem(session: ReviewSession, nowMs: number): ReviewSession {
  const id = getOpenItem(session)
  if (id === undefined) return session
  const durations = new Map(session.durations)
  const look = nowMs - session.shownAtMs
  if (!session.done.has(id) && look <= MAX_LOOK_MS) durations.set(id, look)
  return showNext({ ...session, done: add(session.done, id), durations }, nowMs)
}

/** A completed or lost item is only passed; another one leaves the trail and comes last. */
function skipItem(session: ReviewSession, nowMs: number): ReviewSession {
  const { at, done, lost } = session
  const id = getOpenItem(session)
  if (at === undefined || id === undefined || done.has(id) || lost.has(id)) return showNext(session, nowMs)
  const trail = without(session.trail, id)
  const skipped = [...session.skipped, id]
  return showNext({ ...session, trail, at: at - 1, skipped, skips: session.skips + 1 }, nowMs)
}

function reopenLast(session: ReviewSession, nowMs: number): ReviewSession {
  const id = findLastDone(session)
  if (id === undefined) return session
  const done = new Set(session.done)
  done.delete(id)
  const durations = new Map(session.durations)
  durations.delete(id)
  return showAt({ ...session, done, durations }, session.trail.indexOf(id), nowMs)
}

/** Shows the next item of the trail, else the first that waits, else the first that was skipped, else none. */
function showNext(session: ReviewSession, nowMs: number): ReviewSession {
  const next = (session.at ?? session.trail.length - 1) + 1
  if (next < session.trail.length) return showAt(session, next, nowMs)
  const first = session.waiting[0] ?? session.skipped[0]
  return first === undefined ? { ...session, at: undefined, shownAtMs: nowMs } : openItem(session, first, nowMs)
}

function showAt(session: ReviewSession, at: number, nowMs: number): ReviewSession {
  return session.trail[at] === undefined ? session : { ...session, at, shownAtMs: nowMs }
}

function withoutWaiting(session: ReviewSession, id: string): ReviewSession {
  return { ...session, waiting: without(session.waiting, id), skipped: without(session.skipped, id) }
}

const without = (ids: readonly string[], id: string) => ids.filter((one) => one !== id)
const add = (ids: ReadonlySet<string>, id: string) => new Set(ids).add(id)

/**
 * Krippendorff's alpha in words, by the bounds that he recommends (0.8 and 0.667).
 *
 * @param alpha  null when nothing can be compared, or when all answers are equal
 * @param items  with at least two answers
 */
export function describeAlpha(alpha: number | null, items: number): string {
  if (items === 0) return 'no item with two answers'
  if (alpha === null) return 'all answers are equal'
  if (alpha >= 0.8) return 'reliable'
  if (alpha >= 0.667) return 'acceptable for tentative conclusions'
  return alpha > 0 ? 'too low to rely on' : 'no better than chance'
}
