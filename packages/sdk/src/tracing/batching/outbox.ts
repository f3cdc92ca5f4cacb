import { Complaint } from '../../logger.ts'
import type { Transport } from '../../transport/transport.ts'
import { deliver, Sender } from './deliver.ts'
import type { Dump } from './dump.ts'
import { forgetExit, watchExit } from './exit.ts'
import { askLimits, COMFORTABLE_BYTES, DEFAULT_LIMITS, type Limits } from './limits.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { merge } from './merge.ts'
import type { Operation } from './operation.ts'
import type { TurnBudget } from './turn-budget.ts'

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
  readonly #full = new Complaint()
  readonly #waiting = new Map<string, { operation: Operation; addedAt: number }>()
  readonly #underWay = new Set<readonly Operation[]>()
  #waitingBytes = 0
  /** How many of the oldest operations must be sent now, even if the request is not full. */
  #due = 0
  #limits: Limits | undefined
  #asking = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(transport: Transport, options: OutboxOptions) {
    this.#transport = transport
    this.#options = options
    this.#sender = new Sender(transport, options)
  }

  add(operation: Operation): void {
    const { memory, manual } = this.#options
    if (!memory.take(operation.bytes)) {
      this.#refuse(operation)
      return
    }
    const known = this.#waiting.get(operation.id)
    const merged = known ? merge(known.operation, operation) : operation
    this.#waiting.set(operation.id, { operation: merged, addedAt: known?.addedAt ?? Date.now() })
    this.#waitingBytes += merged.bytes - (known?.operation.bytes ?? 0)
    if (known) memory.give(known.operation.bytes + operation.bytes - merged.bytes)
    watchExit(this)
    if (manual) this.#warnWhenFilling()
    else if (this.#isOverfull()) this.#pump()
    else this.#arm()
  }

  /** Sends everything waiting. Resolves when it and all requests in flight were delivered or given up. */
  async drain(): Promise<void> {
    const settled = this.unsettled().map((one) => new Promise<void>((resolve) => one.settled.push(resolve)))
    this.#due = this.#waiting.size
    this.#pump()
    await Promise.all(settled)
  }

  /** Operations that would be lost if the process ended now. */
  unsettled(): Operation[] {
    return [...[...this.#waiting.values()].map(({ operation }) => operation), ...[...this.#underWay].flat()]
  }

  /** Called when the process ends: there is no time to send, only to write to disk. */
  abandon(): void {
    const lost = this.unsettled()
    if (lost.length === 0) return
    if (this.#options.dump) this.#sender.dump(lost)
    else {
      this.#transport.connection.logger.warn(
        `[touchstone] The process ended with ${lost.length} runs not delivered: await client.flush() before process.exit().`,
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
    return this.#options.maxBytes ?? Math.min((this.#limits ?? DEFAULT_LIMITS).maxBytes, COMFORTABLE_BYTES)
  }

  #pump(): void {
    if (!this.#limits) {
      this.#learnLimits()
      return
    }
    const mustSend = () => this.#due > 0 || (!this.#options.manual && this.#isOverfull())
    while (this.#waiting.size > 0 && this.#underWay.size < this.#options.concurrency && mustSend()) {
      void this.#launch(this.#pack())
    }
    if (!this.#options.manual && this.#due === 0) this.#arm()
  }

  #learnLimits(): void {
    if (this.#asking) return
    this.#asking = true
    void askLimits(this.#transport).then((answer) => {
      this.#asking = false
      this.#limits = answer ?? DEFAULT_LIMITS
      this.#sender.limits = this.#limits
      this.#pump()
      if (!answer) this.#limits = undefined
    })
  }

  #arm(): void {
    const oldest = this.#waiting.values().next().value
    if (this.#timer || !oldest) return
    const left = Math.max(0, this.#options.maxAgeMs - (Date.now() - oldest.addedAt))
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#due = this.#waiting.size
      this.#pump()
    }, left)
  }

  /** Takes the oldest operations that fit into one request; an oversized one is sent alone. */
  #pack(): Operation[] {
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

  async #launch(batch: readonly Operation[]): Promise<void> {
    this.#underWay.add(batch)
    // `deliver` never rejects, but the application's logger may throw, and that must not end the process.
    await deliver(batch, this.#sender).catch(() => {})
    this.#underWay.delete(batch)
    for (const operation of batch) {
      this.#options.memory.give(operation.bytes)
      for (const settle of operation.settled) settle()
    }
    if (this.#waiting.size === 0 && this.#underWay.size === 0) forgetExit(this)
    else this.#pump()
  }

  #refuse(operation: Operation): void {
    const { max } = this.#options.memory
    const { logger } = this.#transport.connection
    this.#full.say(logger, `The trace queue is full (${max} bytes): dropped run ${operation.id}`)
    for (const settle of operation.settled) settle()
  }

  #warnWhenFilling(): void {
    if (!this.#options.memory.crossedWarningMark()) return
    this.#transport.connection.logger.warn(
      '[touchstone] The trace queue is 80 % full and in manual flush mode: call client.flush().',
    )
  }
}
