import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelProblem } from '@touchstone/contract'

/** Tries of a call after the first. */
const MAX_RETRIES = 4
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000
/** Time over which the calls of a provider are counted. */
const WINDOW_MS = 10_000
/** Each success raises the rate by this factor; above the highest rate there is no limit. */
const RECOVERY = 1.05
const MAX_RATE = 100
const MIN_RATE = 0.2
/** Providers whose pace is remembered. */
const MAX_PACES = 10_000

/** The calls of one provider: without a limit until it refuses one for its rate. */
export class Pace {
  /** Calls per second. */
  #rate = Number.POSITIVE_INFINITY
  #nextAt = 0
  #begun: number[] = []

  /** Waits until the next call may begin. @throws when the signal is aborted */
  async wait(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const now = performance.now()
      if (this.#nextAt <= now) {
        this.#begun = [...this.#begun.filter((at) => at > now - WINDOW_MS), now]
        if (Number.isFinite(this.#rate)) this.#nextAt = now + 1000 / this.#rate
        return
      }
      await sleep(Math.min(this.#nextAt - now, MAX_WAIT_MS), undefined, { signal })
    }
  }

  /** The provider refused a call: all calls wait, and half as many follow. */
  slowDown(waitMs: number): void {
    const now = performance.now()
    const recent = this.#begun.filter((at) => at > now - WINDOW_MS).length / (WINDOW_MS / 1000)
    // Calls that were under way are refused together; they slow down once.
    if (this.#nextAt < now + waitMs / 2) this.#rate = Math.max(MIN_RATE, Math.min(this.#rate, recent) / 2)
    this.#nextAt = Math.max(this.#nextAt, now + waitMs)
  }

  succeed(): void {
    this.#rate *= RECOVERY
    if (this.#rate > MAX_RATE) this.#rate = Number.POSITIVE_INFINITY
  }
}

/** The pace of each provider in this process; all jobs and their judges share it. */
export class Paces {
  readonly #paces = new Map<string, Pace>()

  get(tenantId: string, providerId: string): Pace {
    const key = `${tenantId} ${providerId}`
    const found = this.#paces.get(key) ?? new Pace()
    if (!this.#paces.has(key) && this.#paces.size >= MAX_PACES) this.#paces.clear()
    this.#paces.set(key, found)
    return found
  }
}

/**
 * Makes a call again while its problem may pass: after the time that the provider names, or after a doubled one.
 *
 * @param call  makes one try; a cancelled one is not repeated
 * @param signal  ends the waiting, not the call
 * @throws when the signal is aborted before a call or while it waits
 */
export async function callAtPace<Ended extends { readonly problem: ModelProblem | null }>(
  pace: Pace,
  signal: AbortSignal,
  call: () => Promise<Ended>,
): Promise<Ended> {
  for (let retries = 0; ; retries++) {
    await pace.wait(signal)
    const tried = await tryCall(pace, retries, call)
    if ('ended' in tried) return tried.ended
    await sleep(tried.waitMs, undefined, { signal })
  }
}

/** One try. What it made is not kept while the next one waits. */
async function tryCall<Ended extends { readonly problem: ModelProblem | null }>(
  pace: Pace,
  retries: number,
  call: () => Promise<Ended>,
): Promise<{ readonly ended: Ended } | { readonly waitMs: number }> {
  const ended = await call()
  const { problem } = ended
  if (problem === null) pace.succeed()
  if (problem === null || !problem.retry || problem.code === 'cancelled') return { ended }
  const backoffMs = FIRST_WAIT_MS * 2 ** retries * (0.75 + Math.random() / 2)
  const namedMs = problem.retry_after_seconds === null ? undefined : problem.retry_after_seconds * 1000
  const waitMs = Math.min(namedMs ?? backoffMs, MAX_WAIT_MS)
  if (problem.code === 'rate_limited') pace.slowDown(waitMs)
  return retries === MAX_RETRIES ? { ended } : { waitMs }
}
