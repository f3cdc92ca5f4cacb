import { ApiError } from '@touchstone/contract'
import { TimeSlices } from '../time-slices.ts'
import type { ModelEvent } from './call-model.ts'
import { aProblem } from './problems.ts'

export interface RenderLimits {
  /** Bytes of the calls of this process that are rendered and not ended. */
  readonly maxBytes: number
  /** Of them, what one workspace may have. A workspace without a call may begin one of any size. */
  readonly maxWorkspaceBytes: number
  /** A smaller call does not wait for larger ones: it has a budget of its own. */
  readonly smallBytes: number
  /** Bytes of the small calls of one workspace; further ones wait like large ones. */
  readonly maxSmallBytes: number
  /** Milliseconds without a part of the response after which a call may be ended for one of another workspace that waits. */
  readonly silentMs: number
}

const MB = 1024 * 1024
/** A call is in memory about four times: rendered, as JSON, as bytes, and as the run that records it. */
export const RENDER_LIMITS: RenderLimits = {
  maxBytes: 128 * MB,
  maxWorkspaceBytes: 64 * MB,
  smallBytes: 64 * 1024,
  maxSmallBytes: 8 * MB,
  silentMs: 20_000,
}

/** Milliseconds that a request waits for memory before it is answered 429. Jobs wait as long as they run. */
export const MAX_WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 5

export interface Sized<Made> {
  readonly made: Made
  /** 0 for what takes no memory, for example a problem. */
  readonly bytes: number
}

export interface Wait {
  /** Whose call it is; workspaces take turns. */
  readonly workspace: string
  /** Ends the waiting. */
  readonly signal: AbortSignal
  /** Milliseconds. @default Infinity */
  readonly maxWaitMs?: number
}

/** A call that is in memory. */
export interface Held<Made> {
  readonly made: Made
  /** Aborted, with an Error that has the reason, when the provider is silent and another workspace needs the memory. */
  readonly evicted: AbortSignal
  /** A part of the response has come. */
  heard(): void
  /** Gives the memory back; may be called twice. */
  release(): void
}

interface Holder {
  readonly workspace: string
  readonly bytes: number
  readonly isSmall: boolean
  readonly evicted: AbortController
  heardAt: number
}

interface Waiting {
  readonly workspace: string
  readonly bytes: number
  readonly admit: () => void
}

/**
 * Bounds the memory of rendered calls: large rows times variants times calls at once, of requests, jobs and judges. Each
 * workspace has a share, small calls do not wait for large ones, and the workspaces that wait take turns.
 */
export class RenderBudget {
  readonly #holders = new Set<Holder>()
  /** By workspace; the one whose turn is next is first. */
  readonly #waiting = new Map<string, Waiting[]>()
  #alarm: NodeJS.Timeout | undefined
  readonly #slices = new TimeSlices()

  constructor(readonly limits: RenderLimits = RENDER_LIMITS) {}

  /** Bytes that are in use. */
  get used(): number {
    return this.#sum(() => true)
  }

  /**
   * Renders a call and uses it.
   *
   * @throws when the signal is aborted while it waits; ApiError RATE_LIMITED when it has waited too long
   */
  async hold<Made, Result>(
    wait: Wait,
    render: () => Sized<Made>,
    use: (held: Held<Made>) => Promise<Result>,
  ): Promise<Result> {
    const held = await this.reserve(wait, render)
    try {
      return await use(held)
    } finally {
      held.release()
    }
  }

  /**
   * Renders a call when there is memory for it. What waits is not kept: it is rendered again.
   *
   * @throws like `hold`
   */
  async reserve<Made>(wait: Wait, render: () => Sized<Made>): Promise<Held<Made>> {
    const first = await this.#render(wait.signal, render)
    if (this.#isFree(wait.workspace, first.bytes))
      return this.#toHeld(this.#take(wait.workspace, first.bytes), first.made)
    const holder = await this.#waitForTurn(wait, first.bytes)
    try {
      return this.#toHeld(holder, (await this.#render(wait.signal, render)).made)
    } catch (error) {
      this.#release(holder)
      throw error
    }
  }

  async #render<Made>(signal: AbortSignal, render: () => Sized<Made>): Promise<Sized<Made>> {
    signal.throwIfAborted()
    if (this.#slices.isUsedUp()) await this.#slices.yieldToEventLoop()
    signal.throwIfAborted()
    return render()
  }

  /** Whether a call may begin now: none of its workspace waits, unless it is small. */
  #isFree(workspace: string, bytes: number): boolean {
    if (bytes === 0 || this.#isSmall(workspace, bytes)) return true
    return this.#waiting.size === 0 && this.#isWithinShare(workspace, bytes) && this.#isWithinBudget(bytes)
  }

  #isSmall(workspace: string, bytes: number): boolean {
    if (bytes >= this.limits.smallBytes) return false
    return this.#sum((one) => one.isSmall && one.workspace === workspace) + bytes <= this.limits.maxSmallBytes
  }

  #isWithinShare(workspace: string, bytes: number): boolean {
    const own = this.#sum((one) => !one.isSmall && one.workspace === workspace)
    return own === 0 || own + bytes <= this.limits.maxWorkspaceBytes
  }

  #isWithinBudget(bytes: number): boolean {
    const all = this.#sum((one) => !one.isSmall)
    return all === 0 || all + bytes <= this.limits.maxBytes
  }

  #sum(isCounted: (holder: Holder) => boolean): number {
    let bytes = 0
    for (const holder of this.#holders) if (isCounted(holder)) bytes += holder.bytes
    return bytes
  }

  #take(workspace: string, bytes: number): Holder {
    const isSmall = this.#isSmall(workspace, bytes)
    const holder = { workspace, bytes, isSmall, evicted: new AbortController(), heardAt: performance.now() }
    this.#holders.add(holder)
    return holder
  }

  #toHeld<Made>(holder: Holder, made: Made): Held<Made> {
    return {
      made,
      evicted: holder.evicted.signal,
      heard: () => {
        holder.heardAt = performance.now()
      },
      release: () => this.#release(holder),
    }
  }

  #release(holder: Holder): void {
    if (this.#holders.delete(holder)) this.#admit()
  }

  async #waitForTurn(
    { workspace, signal, maxWaitMs = Number.POSITIVE_INFINITY }: Wait,
    bytes: number,
  ): Promise<Holder> {
    let timer: NodeJS.Timeout | undefined
    let leave = () => {}
    try {
      return await new Promise<Holder>((resolve, reject) => {
        const waiting = { workspace, bytes, admit: () => resolve(this.#take(workspace, bytes)) }
        leave = () => {
          this.#remove(waiting)
          reject(signal.reason as Error)
        }
        signal.addEventListener('abort', leave, { once: true })
        if (Number.isFinite(maxWaitMs)) {
          timer = setTimeout(() => {
            this.#remove(waiting)
            reject(aRefusal(maxWaitMs))
          }, maxWaitMs)
        }
        const line = this.#waiting.get(workspace)
        if (line === undefined) this.#waiting.set(workspace, [waiting])
        else line.push(waiting)
        this.#admit()
      })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }

  #remove(waiting: Waiting): void {
    const line = this.#waiting.get(waiting.workspace)?.filter((one) => one !== waiting) ?? []
    if (line.length > 0) this.#waiting.set(waiting.workspace, line)
    else this.#waiting.delete(waiting.workspace)
    this.#admit()
  }

  /** Lets calls in as long as there is memory. The first workspace whose share is not used up decides; no other passes it. */
  #admit(): void {
    clearTimeout(this.#alarm)
    for (;;) {
      const next = [...this.#waiting.values()]
        .flatMap(([first]) => first ?? [])
        .find(({ workspace, bytes }) => this.#isWithinShare(workspace, bytes))
      if (next === undefined) return
      if (!this.#isWithinBudget(next.bytes)) {
        this.#freeMemory(next)
        return
      }
      const line = this.#waiting.get(next.workspace)?.slice(1) ?? []
      // The workspace goes to the end.
      this.#waiting.delete(next.workspace)
      if (line.length > 0) this.#waiting.set(next.workspace, line)
      next.admit()
    }
  }

  /**
   * Ends calls of other workspaces whose providers are silent, the longest silence first, until one that waits fits. Their
   * memory becomes free when they have ended.
   */
  #freeMemory({ workspace, bytes }: Waiting): void {
    const now = performance.now()
    let missing = this.#sum((one) => !one.isSmall) + bytes - this.limits.maxBytes
    const others = [...this.#holders]
      .filter((one) => !one.isSmall && one.workspace !== workspace)
      .sort((a, b) => a.heardAt - b.heardAt)
    for (const one of others) {
      if (missing <= 0) return
      const leftMs = one.heardAt + this.limits.silentMs - now
      if (leftMs > 0) {
        this.#alarm = setTimeout(() => this.#admit(), Math.ceil(leftMs)).unref()
        return
      }
      missing -= one.bytes
      const seconds = Math.round(this.limits.silentMs / 1000)
      one.evicted.abort(
        new Error(
          `The provider was silent for ${seconds} s while another workspace waited for the memory of its ${one.bytes} bytes.`,
        ),
      )
    }
  }
}

/** A call that was ended for its memory is one that took too long; it may be tried again. */
export function nameEviction<Event extends Extract<ModelEvent, { type: 'done' | 'failed' }>>(
  event: Event,
  evicted: AbortSignal | undefined,
): Event {
  if (event.type !== 'failed' || event.problem.code !== 'cancelled' || !evicted?.aborted) return event
  return { ...event, problem: aProblem('timeout', (evicted.reason as Error).message) }
}

function aRefusal(waitedMs: number): ApiError {
  const seconds = Math.round(waitedMs / 1000)
  const message = `The messages had to wait for memory for ${seconds} s: other large calls of this server are under way. Try again shortly, or use shorter values.`
  return new ApiError('RATE_LIMITED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/** Bytes of the texts in a value of JSON; what stands between them counts little. */
export function countBytes(value: unknown): number {
  let bytes = 0
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') bytes += Buffer.byteLength(one)
    else if (typeof one !== 'object' || one === null) bytes += 8
    else for (const [name, member] of Object.entries(one)) left.push(Array.isArray(one) ? '' : name, member)
  }
  return bytes
}
