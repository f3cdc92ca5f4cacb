/** Nested applications of schemas; beyond, a schema refers to itself without end or a value is nested absurdly deep. */
const MAX_DEPTH = 300

/** A check that costs more than anybody waits for, or never ends. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly'
}

/**
 * What checking may cost, counted rather than timed so that the same value always gets the same answer. Schemas are
 * hostile: a page of `allOf` and `$ref` can ask for 2^40 checks of one empty object.
 */
export class Steps {
  /** So far. */
  taken = 0
  private depth = 0

  constructor(private readonly most: number) {}

  /** @throws TooCostly */
  take(count: number): void {
    this.taken += count
    if (this.taken > this.most) throw new TooCostly('checking it takes too many steps')
  }

  /** @throws TooCostly */
  enter(): void {
    this.take(1)
    if (++this.depth > MAX_DEPTH)
      throw new TooCostly(`it is nested, or the schema refers to itself, over ${MAX_DEPTH} deep`)
  }

  leave(): void {
    this.depth--
  }
}
