import { RateLimitedWarning } from '../../logger.ts'
import type { Transport } from '../../transport/transport.ts'
import type { MemoryBudget, TurnBudget } from './budgets.ts'
import { deliver, Sender } from './deliver.ts'
import type { Dump } from './dump.ts'
import { DEFAULT_LIMITS, fetchLimits, type Limits, PREFERRED_MAX_BYTES } from './limits.ts'
import { mergeOperations, type Operation } from './operation.ts'

/** Only outboxes with pending runs, so that a client made for one request can be garbage collected. */
const used = new Set<Outbox>()
let hooked = false

/**
 * Prevents silent loss of runs when the process ends. On `beforeExit`, pending runs are sent (only manual flush mode
 * leaves any). After `process.exit()`, they are written to the dump directory, or counted in a warning. Signals are
 * left to the application.
 */
function watchExit(outbox: Outbox): void {
  used.add(outbox)
  if (hooked || typeof globalThis.process?.on !== 'function') return
  hooked = true
  process.on('beforeExit', () => {
    for (const outbox of used) void outbox.drain()
  })
  process.on('exit', () => {
    for (const outbox of used) outbox.dumpPending()
  })
}

function unwatchExit(outbox: Outbox): void {
  used.delete(outbox)
}

export interface OutboxOptions {
  /** Overrides the limits of the server. */
  maxRuns?: number | undefined
  maxBytes?: number | undefined
  maxAgeMs: number
  concurrency: number
  /** Sends only on `drain`. */
  manual: boolean
  compress: boolean
  memory: MemoryBudget
  budget: TurnBudget
  dump: Dump | undefined
}

/**
 * Queue of operations for one server, and its requests in flight.
 *
 * Waiting operations on the same run are merged. A request is sent when the oldest operation has waited `maxAgeMs`, or
 * as soon as a request is full. A timer keeps the process alive until then, so a program that ends normally loses
 * nothing.
 */
export class Outbox {
  readonly #transport: Transport
  readonly #options: OutboxOptions
  readonly #sender: Sender
  readonly #fullWarning = new RateLimitedWarning()
  readonly #waiting = new Map<string, { operation: Operation; addedAt: number }>()
  readonly #inFlight = new Set<readonly Operation[]>()
  #waitingBytes = 0
  /** How many of the oldest operations must be sent now, even if the request is not full. */
  #due = 0
  #limits: Limits | undefined
  #isFetchingLimits = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(transport: Transport, options: OutboxOptions) {
    this.#transport = transport
    this.#options = options
    this.#sender = new Sender(transport, options)
  }

  /** Keeps a run from being lost at the end of the process while its recording is postponed. */
  expect(): void {
    watchExit(this)
  }

  add(operation: Operation): void {
    const { memory, manual } = this.#options
    if (!memory.reserve(operation.bytes)) {
      this.#drop(operation)
      return
    }
    const earlier = this.#waiting.get(operation.id)
    const merged = earlier ? mergeOperations(earlier.operation, operation) : operation
    this.#waiting.set(operation.id, { operation: merged, addedAt: earlier?.addedAt ?? Date.now() })
    this.#waitingBytes += merged.bytes - (earlier?.operation.bytes ?? 0)
    if (earlier) memory.release(earlier.operation.bytes + operation.bytes - merged.bytes)
    watchExit(this)
    if (manual) this.#warnWhenFilling()
    else if (this.#isOverfull()) this.#pump()
    else this.#startTimer()
  }

  /** Sends everything waiting. Resolves when it and all requests in flight were delivered or given up. */
  async drain(): Promise<void> {
    const promises = this.pending().map(({ settled }) => new Promise<void>((resolve) => settled.push(resolve)))
    this.#due = this.#waiting.size
    this.#pump()
    await Promise.all(promises)
  }

  /** Operations that would be lost if the process ended now. */
  pending(): Operation[] {
    return [...[...this.#waiting.values()].map(({ operation }) => operation), ...[...this.#inFlight].flat()]
  }

  /** Called when the process ends: there is no time to send, only to write to disk. */
  dumpPending(): void {
    this.#options.budget.finish()
    const lost = this.pending()
    if (lost.length === 0) return
    if (this.#options.dump) this.#sender.dump(lost)
    else {
      this.#transport.connection.logger.warn(
        `[touchstone] ${lost.length} runs not delivered: call flush() before process.exit().`,
      )
    }
  }

  #isOverfull(): boolean {
    return this.#waiting.size > this.#maxRuns() || this.#waitingBytes > this.#maxBytes()
  }

  #maxRuns(): number {
    return this.#options.maxRuns ?? (this.#limits ?? DEFAULT_LIMITS).maxRuns
  }

  #maxBytes(): number {
    return this.#options.maxBytes ?? Math.min((this.#limits ?? DEFAULT_LIMITS).maxBytes, PREFERRED_MAX_BYTES)
  }

  #pump(): void {
    if (!this.#limits) {
      this.#fetchLimits()
      return
    }
    const mustSend = () => this.#due > 0 || (!this.#options.manual && this.#isOverfull())
    while (this.#waiting.size > 0 && this.#inFlight.size < this.#options.concurrency && mustSend()) {
      void this.#send(this.#takeBatch())
    }
    if (!this.#options.manual && this.#due === 0) this.#startTimer()
  }

  #fetchLimits(): void {
    if (this.#isFetchingLimits) return
    this.#isFetchingLimits = true
    void fetchLimits(this.#transport).then((answer) => {
      this.#isFetchingLimits = false
      this.#limits = answer ?? DEFAULT_LIMITS
      this.#sender.limits = this.#limits
      this.#pump()
      if (!answer) this.#limits = undefined
    })
  }

  #startTimer(): void {
    const oldest = this.#waiting.values().next().value
    if (this.#timer || !oldest) return
    const remainingMs = Math.max(0, this.#options.maxAgeMs - (Date.now() - oldest.addedAt))
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#due = this.#waiting.size
      this.#pump()
    }, remainingMs)
  }

  /** Takes the oldest operations that fit into one request; an oversized one is sent alone. */
  #takeBatch(): Operation[] {
    const batch: Operation[] = []
    let bytes = 0
    for (const [id, { operation }] of this.#waiting) {
      const fits = batch.length < this.#maxRuns() && bytes + operation.bytes < this.#maxBytes()
      if (batch.length > 0 && !fits) break
      batch.push(operation)
      bytes += operation.bytes
      this.#waiting.delete(id)
    }
    this.#waitingBytes -= bytes
    this.#due = Math.max(0, this.#due - batch.length)
    return batch
  }

  async #send(batch: readonly Operation[]): Promise<void> {
    this.#inFlight.add(batch)
    // `deliver` never rejects, but the application's logger may throw, and that must not end the process.
    await deliver(batch, this.#sender).catch(() => {})
    this.#inFlight.delete(batch)
    for (const operation of batch) {
      this.#options.memory.release(operation.bytes)
      for (const settle of operation.settled) settle()
    }
    if (this.pending().length + this.#options.budget.late.size === 0) unwatchExit(this)
    else this.#pump()
  }

  #drop(operation: Operation): void {
    const { max } = this.#options.memory
    const { logger } = this.#transport.connection
    this.#fullWarning.log(logger, `The trace queue is full (${max} bytes): dropped run ${operation.id}`)
    for (const settle of operation.settled) settle()
  }

  #warnWhenFilling(): void {
    if (!this.#options.memory.hasJustReachedWarning()) return
    this.#transport.connection.logger.warn('[touchstone] The trace queue is 80 % full: call flush().')
  }
}
