/** Milliseconds of one slice, during which other requests wait. */
const SLICE_MS = 10

/** Work that waits for its next slice: one slice runs per turn of the event loop, for all requests together. */
const waiting: (() => void)[] = []

/**
 * Divides long work on the event loop into slices, so that other requests are answered in between.
 *
 * @example for (const item of items) { if (slices.isUsedUp()) await slices.yieldToEventLoop(); work(item) }
 */
export class TimeSlices {
  private endsAt = performance.now() + SLICE_MS

  /** Whether the current slice has used up its time. */
  isUsedUp(): boolean {
    return performance.now() >= this.endsAt
  }

  /** Lets all other ready work run, then starts the next slice. */
  async yieldToEventLoop(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) setImmediate(runNext)
    })
    this.endsAt = performance.now() + SLICE_MS
  }
}

function runNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(runNext)
}

/** `items.map(map)` on the event loop, in slices. */
export async function mapInSlices<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const slices = new TimeSlices()
  const results: Result[] = []
  for (const item of items) {
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    results.push(map(item, results.length))
  }
  return results
}
