import { ApiError } from '@touchstone/contract'

/** Bytes of request bodies that the process may hold at once, so that many large requests cannot exhaust its memory. */
export class BodyBudget {
  private held = 0

  constructor(private readonly maxBytes: number) {}

  /** @throws ApiError RATE_LIMITED when the process holds as much as it may */
  take(bytes: number): void {
    if (this.held + bytes > this.maxBytes) {
      throw new ApiError('RATE_LIMITED', 'Too many bytes of requests are under way; try again shortly.', {
        retryAfterSeconds: 1,
      })
    }
    this.held += bytes
  }

  give(bytes: number): void {
    this.held -= bytes
  }
}

/** What one request holds of the budget, given back as a whole. */
export class BodyShare {
  private taken = 0

  constructor(private readonly budget: BodyBudget) {}

  take(bytes: number): void {
    this.budget.take(bytes)
    this.taken += bytes
  }

  /** Gives back what was let go of before the request ended. */
  give(bytes: number): void {
    const given = Math.min(bytes, this.taken)
    this.budget.give(given)
    this.taken -= given
  }

  release(): void {
    this.budget.give(this.taken)
    this.taken = 0
  }
}
