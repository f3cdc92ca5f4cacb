/** Where a listing stood after so many rows, so that the page which follows need not count to there again. */
export interface Bookmark {
  readonly offset: number
  /** The last row before the offset, by what the listing is sorted by. */
  readonly key: readonly string[]
}

const MAX_LISTINGS = 1_000
/** Of one listing: several readers at different places, and pages asked for out of order. */
const MAX_MARKS = 32

/**
 * Remembers where listings stood. It only saves work: a listing of a fixed version never changes its order, so reading
 * on from a bookmark and counting from the start give the same rows.
 */
export class Bookmarks {
  private readonly listings = new Map<string, Bookmark[]>()

  /** The bookmark nearest before an offset. */
  find(listing: string, offset: number): Bookmark | undefined {
    const marks = this.listings.get(listing)
    if (marks === undefined) return undefined
    this.listings.delete(listing)
    this.listings.set(listing, marks) // the least recently used is dropped first
    let nearest: Bookmark | undefined
    for (const mark of marks) {
      if (mark.offset <= offset && mark.offset > (nearest?.offset ?? 0)) nearest = mark
    }
    return nearest
  }

  put(listing: string, bookmark: Bookmark): void {
    const marks = (this.listings.get(listing) ?? []).filter(({ offset }) => offset !== bookmark.offset)
    if (marks.length >= MAX_MARKS) marks.shift()
    marks.push(bookmark)
    this.listings.delete(listing)
    this.listings.set(listing, marks)
    if (this.listings.size > MAX_LISTINGS) this.listings.delete(this.listings.keys().next().value!)
  }
}
