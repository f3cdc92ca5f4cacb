import type { ClientConfig } from '../config/client-config.ts'
import { clean, resolveConnection } from '../config/connection.ts'
import { checkConfig, resolveTracingOptions, type TracingOptions } from '../config/tracing-options.ts'
import { webHost } from '../config/web-host.ts'
import { assertUuid, isUuid, uuid7 } from '../ids/uuid.ts'
import { Calls } from '../resources/calls.ts'
import type { RunCreate, RunUpdate } from '../schemas.ts'
import { Transport } from '../transport/transport.ts'
import { type Operation, toOperation } from './batching/operation.ts'
import { Outbox } from './batching/outbox.ts'
import { type WireRun, withDestination } from './destination.ts'
import { redact } from './redact.ts'
import { withRuntime } from './runtime-info.ts'
import { isSampled, traceIdOf } from './sampling.ts'
import { serialise } from './serialise.ts'

/** Sends one run elsewhere than the client's own server. */
export interface Destination {
  apiUrl?: string | undefined
  apiKey?: string | undefined
  workspaceId?: string | undefined
}

export interface WaitOptions {
  /** Stop waiting, but not sending, after so many milliseconds. @default no limit */
  timeoutMs?: number | undefined
}

type Kind = Operation['kind']

/** What a run tree needs of a client; anything with these two methods can stand in for one in tests. */
export interface TracingClientInterface {
  createRun(run: RunCreate): Promise<void>
  updateRun(runId: string, update: RunUpdate): Promise<void>
}

/**
 * The part of `Client` that records runs. `traceable` and `RunTree` need only this, so that an application that only
 * traces does not carry the rest.
 */
export class TracingClient extends Calls implements TracingClientInterface {
  readonly #config: ClientConfig
  readonly #finalisations = new Set<Promise<unknown>>()
  readonly #outboxes = new Map<string, Outbox>()
  #resolved: TracingOptions | undefined

  /** @throws for options that cannot work; a missing key is not one of them */
  constructor(config: ClientConfig = {}) {
    super(new Transport(() => resolveConnection(config)))
    checkConfig(config)
    this.#config = config
  }

  get #options(): TracingOptions {
    this.#resolved ??= resolveTracingOptions(this.#config)
    return this.#resolved
  }

  /** True when ending a root run waits for its delivery. */
  get blocksOnRootRun(): boolean {
    return this.#options.blocksOnRootRun
  }

  /**
   * Records a run. With `trace_id` and `dotted_order` it is queued and the promise never rejects; without them it is sent
   * at once and the promise tells how that went. `run` is read now and may be changed afterwards.
   *
   * @throws when the run names a project and an address, or an address that cannot receive traces
   */
  async createRun(run: RunCreate, destination: Destination = {}): Promise<void> {
    const complete = { ...run, start_time: run.start_time ?? Date.now() }
    await this.#record('post', run.id, complete, destination)
  }

  /** Records an update: what it does not mention stays. Queued or sent like `createRun`. */
  async updateRun(runId: string, update: RunUpdate, destination: Destination = {}): Promise<void> {
    assertUuid(runId)
    await this.#record('patch', runId, { ...update, id: runId }, destination)
  }

  async #record(kind: Kind, id: string | undefined, given: RunUpdate, destination: Destination): Promise<void> {
    const run = this.#addressed(kind, given)
    if (!run || !isSampled(traceIdOf(run), this.#options.samplingRate)) return
    const batched = this.#options.batches && run.trace_id && run.dotted_order
    if (!batched) return await this.#sendAlone(kind, run, destination)
    if (!isUuid(id)) return this.reportProblem(`Dropped a run without a valid id: ${id}`)
    try {
      const captured = this.#options.outbox.budget.run(() => this.#capture(kind, id, run))
      const operation = captured instanceof Promise ? await this.trackFinalisation(captured) : captured
      await this.#enqueue(operation, run, destination)
    } catch (error) {
      this.reportProblem(`Could not record run ${id}: ${error}`)
    }
  }

  #addressed(kind: Kind, run: RunUpdate): WireRun | undefined {
    return withDestination(run, kind === 'patch', this)
  }

  #capture(kind: Kind, id: string, run: WireRun): Operation | Promise<Operation> {
    const prepared = this.#prepare(kind, run)
    return prepared instanceof Promise
      ? prepared.then((ready) => toOperation(kind, id, ready))
      : toOperation(kind, id, prepared)
  }

  async #enqueue(operation: Operation, run: WireRun, destination: Destination): Promise<void> {
    const outbox = this.#outboxFor(destination)
    const isEndOfRoot = operation.kind === 'patch' && run.end_time !== undefined && !run.parent_run_id
    if (!isEndOfRoot || !this.#options.blocksOnRootRun || this.#options.manual) return outbox.add(operation)
    const delivered = new Promise<void>((resolve) => operation.settled.push(resolve))
    outbox.add(operation)
    void outbox.drain()
    await delivered
  }

  async #sendAlone(kind: Kind, run: WireRun, destination: Destination): Promise<void> {
    const { attachments: _, ...body } = await this.#prepare(kind, { ...run, id: run.id ?? uuid7() })
    const bytes = new TextEncoder().encode(serialise(kind === 'post' ? { child_runs: [], ...body } : body))
    await this.transportFor(destination).send({
      method: kind === 'post' ? 'POST' : 'PATCH',
      path: kind === 'post' ? '/runs' : `/runs/${body.id}`,
      bytes,
      headers: { 'content-type': 'application/json' },
      doing: `${kind === 'post' ? 'create' : 'update'} run ${body.id}`,
    })
  }

  /** A run as one operation to send, or undefined for one that is not to be sent. */
  protected async prepareOperation(kind: Kind, given: RunUpdate): Promise<Operation | undefined> {
    const run = this.#addressed(kind, given)
    if (!run || !isSampled(traceIdOf(run), this.#options.samplingRate)) return undefined
    return toOperation(kind, run.id ?? uuid7(), await this.#prepare(kind, run))
  }

  /** Redacted, with what this process adds. An update that says nothing about `extra` must not replace it. */
  #prepare<R extends WireRun>(kind: Kind, run: R): R | Promise<R> {
    const { origin, redaction } = this.#options
    const says = kind === 'post' || run.extra !== undefined
    const told = this.#withSendableAttachments(run)
    return redact(origin && says ? withRuntime(told, origin) : told, redaction)
  }

  #withSendableAttachments<R extends WireRun>(run: R): R {
    const names = Object.keys(run.attachments ?? {})
    if (!names.some((name) => name.includes('.'))) return run
    this.reportProblem(
      `Attachment names must not contain dots; not sent: ${names.filter((name) => name.includes('.'))}`,
    )
    const kept = Object.entries(run.attachments!).filter(([name]) => !name.includes('.'))
    return { ...run, attachments: Object.fromEntries(kept) }
  }

  protected transportFor({ apiUrl, apiKey, workspaceId }: Destination): Transport {
    if (apiUrl === undefined && apiKey === undefined && workspaceId === undefined) return this.transport
    const { connection } = this.transport
    return new Transport(() => ({
      ...connection,
      apiUrl: clean(apiUrl) ?? connection.apiUrl,
      // A key belongs to the server it was made for.
      apiKey: clean(apiKey) ?? (apiUrl === undefined ? connection.apiKey : undefined),
      workspaceId: clean(workspaceId) ?? (apiUrl === undefined ? connection.workspaceId : undefined),
    }))
  }

  #outboxFor(destination: Destination): Outbox {
    const { apiUrl = '', apiKey = '', workspaceId = '' } = destination
    const key = `${apiUrl}\n${apiKey}\n${workspaceId}`
    let outbox = this.#outboxes.get(key)
    if (!outbox) {
      outbox = new Outbox(this.transportFor(destination), this.#options.outbox)
      this.#outboxes.set(key, outbox)
    }
    return outbox
  }

  /** Makes `flush` wait for work that will still record something; the promise may fail freely. */
  trackFinalisation<T>(work: Promise<T>): Promise<T> {
    this.#finalisations.add(work)
    const forget = () => void this.#finalisations.delete(work)
    work.then(forget, forget)
    return work
  }

  /**
   * Sends everything recorded so far, in every mode, and waits until it was delivered or given up; also waits for runs
   * that have ended but whose outputs or children are still being settled. Never rejects.
   */
  async flush({ timeoutMs }: WaitOptions = {}): Promise<void> {
    await within(timeoutMs, this.#drain())
  }

  /** The same as `flush`, under the name that serverless recipes use. In manual flush mode it only warns. */
  async awaitPendingTraceBatches(options: WaitOptions = {}): Promise<void> {
    if (this.#options.manual)
      return this.reportProblem('In manual flush mode, call flush() instead of awaitPendingTraceBatches().')
    await this.flush(options)
  }

  async #drain(): Promise<void> {
    const drain = () => Promise.all([...this.#outboxes.values()].map((outbox) => outbox.drain()))
    // What waits is sent while the last runs are being settled, and then what those left behind.
    await Promise.all([drain(), Promise.allSettled(this.#finalisations)])
    await drain()
  }

  /** Call when done with the client; sends what is left. */
  async cleanup(): Promise<void> {
    await this.flush()
  }

  /** Host of the web pages of this server. */
  getHostUrl(): string {
    const { apiUrl, webUrl } = this.transport.connection
    return webHost(apiUrl, webUrl)
  }

  /** Extra headers of every request; may be replaced. */
  get headers(): Record<string, string> {
    return this.transport.connection.headers
  }

  set headers(headers: Record<string, string>) {
    new Headers(headers)
    this.transport.connection.headers = headers
  }

  get tracingMode(): 'langsmith' {
    return 'langsmith'
  }

  override toString(): string {
    const { apiUrl, webUrl, workspaceId } = this.toJSON()
    const rest = [webUrl && `webUrl="${webUrl}"`, workspaceId && `workspaceId="${workspaceId}"`].filter(Boolean)
    return `[LangSmithClient ${[`apiUrl="${apiUrl}"`, ...rest].join(' ')}]`
  }

  /** Without the key, so that a logged client gives nothing away. */
  toJSON(): { apiUrl: string; webUrl: string | undefined; workspaceId: string | undefined } {
    const { apiUrl, webUrl, workspaceId } = this.transport.connection
    return { apiUrl, webUrl, workspaceId }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  /** Says what went wrong while recording, through the `logger` option. */
  reportProblem(message: string): void {
    this.transport.connection.logger.warn(`[touchstone] ${message}`)
  }
}

async function within(ms: number | undefined, work: Promise<unknown>): Promise<void> {
  if (ms === undefined) return void (await work)
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
