import { createRun, updateRun } from '@touchstone/contract/routes/ingest'
import type { ClientConfig } from '../config/client-config.ts'
import { clean, resolveConnection, webHost } from '../config/connection.ts'
import { checkConfig, resolveTracingOptions, type TracingOptions } from '../config/tracing-options.ts'
import { assertUuid, isUuid, uuid7 } from '../ids/uuid.ts'
import { Calls } from '../resources/calls.ts'
import type { RunCreate, RunUpdate } from '../schemas.ts'
import { Transport } from '../transport/transport.ts'
import { type Operation, toOperation } from './batching/operation.ts'
import { Outbox } from './batching/outbox.ts'
import { toWireRun, type WireRun } from './destination.ts'
import { redact } from './redact.ts'
import { addRuntimeInfo } from './runtime-info.ts'
import { getTraceId, isSampled } from './sampling.ts'
import { serialize } from './serialize.ts'
import { encodeText } from './text-bytes.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Sends one run to another server than the client's own. */
export interface Destination {
  apiUrl?: string | undefined
  apiKey?: string | undefined
  workspaceId?: string | undefined
}

export interface WaitOptions {
  /** Maximum wait; sending continues afterwards. @default no limit */
  timeoutMs?: number | undefined
}

type Kind = Operation['kind']

/** The client methods that a run tree uses. Tests can implement them with a stub. */
export interface TracingClientInterface {
  createRun(run: RunCreate): Promise<void>
  updateRun(runId: string, update: RunUpdate): Promise<void>
}

/**
 * The part of `Client` that records runs. `traceable` and `RunTree` need only this class, so that an application that
 * only traces does not bundle the rest.
 */
export class TracingClient extends Calls implements TracingClientInterface {
  readonly #config: ClientConfig
  readonly #finalizations = new Set<Promise<unknown>>()
  readonly #outboxes = new Map<string, Outbox>()
  #resolved: TracingOptions | undefined

  /** @throws Error for invalid options; a missing key is not an error */
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
   * Records a run. With `trace_id` and `dotted_order` it is queued and the promise never rejects. Otherwise it is sent
   * immediately, and the promise rejects on failure. `run` is read synchronously and may be changed afterwards.
   *
   * @throws Error when the run names a project and an address, or an address that cannot receive traces
   */
  async createRun(run: RunCreate, destination: Destination = {}): Promise<void> {
    const complete = { ...run, start_time: run.start_time ?? Date.now() }
    await this.#record('post', run.id, complete, destination)
  }

  /** Records an update; missing fields keep their values. Queued or sent like `createRun`. */
  async updateRun(runId: string, update: RunUpdate, destination: Destination = {}): Promise<void> {
    assertUuid(runId)
    await this.#record('patch', runId, { ...update, id: runId }, destination)
  }

  async #record(kind: Kind, id: string | undefined, given: RunUpdate, destination: Destination): Promise<void> {
    const run = this.#resolveDestination(kind, given)
    if (!run || !isSampled(getTraceId(run), this.#options.samplingRate)) return
    const batched = this.#options.batches && run.trace_id && run.dotted_order
    if (!batched) return await this.#sendDirectly(kind, run, destination)
    if (!isUuid(id)) return this.reportProblem(`Dropped a run without a valid id: ${id}`)
    try {
      const outbox = this.#outboxFor(destination)
      const recorded = this.#options.outbox.budget.run(() => {
        const prepared = this.#prepare(kind, run)
        const enqueue = (ready: WireRun) => this.#enqueue(toOperation(kind, id, ready), run, outbox)
        return prepared instanceof Promise ? prepared.then(enqueue) : enqueue(prepared)
      })
      if (!recorded) return
      outbox.expect()
      await this.trackFinalisation(recorded)
    } catch (error) {
      this.reportProblem(`Could not record run ${id}: ${error}`)
    }
  }

  #resolveDestination(kind: Kind, run: RunUpdate): WireRun | undefined {
    return toWireRun(run, kind === 'patch', this)
  }

  #enqueue(operation: Operation, run: WireRun, outbox: Outbox): void | Promise<void> {
    const isEndOfRoot = operation.kind === 'patch' && run.end_time !== undefined && !run.parent_run_id
    if (!isEndOfRoot || !this.#options.blocksOnRootRun || this.#options.manual) return outbox.add(operation)
    const delivered = new Promise<void>((resolve) => operation.settled.push(resolve))
    outbox.add(operation)
    void outbox.drain()
    return delivered
  }

  async #sendDirectly(kind: Kind, run: WireRun, destination: Destination): Promise<void> {
    const { attachments: _, ...body } = await this.#prepare(kind, { ...run, id: run.id ?? uuid7() })
    const bytes = encodeText(serialize(kind === 'post' ? { child_runs: [], ...body } : body))
    const route = kind === 'post' ? createRun : updateRun
    await this.transportFor(destination).send(route, {
      params: { run_id: body.id },
      bytes,
      headers: { 'content-type': 'application/json' },
      doing: `${kind === 'post' ? 'create' : 'update'} run ${body.id}`,
    })
  }

  /** Prepares one operation; undefined for a run that is not sampled or has no destination. */
  protected async prepareOperation(kind: Kind, given: RunUpdate): Promise<Operation | undefined> {
    const run = this.#resolveDestination(kind, given)
    if (!run || !isSampled(getTraceId(run), this.#options.samplingRate)) return undefined
    return toOperation(kind, run.id ?? uuid7(), await this.#prepare(kind, run))
  }

  /** Redacts the run and adds sender information. An update without `extra` must not replace it. */
  #prepare<R extends WireRun>(kind: Kind, run: R): R | Promise<R> {
    const { origin, redaction } = this.#options
    const carriesExtra = kind === 'post' || run.extra !== undefined
    const sendable = this.#withSendableAttachments(run)
    return redact(origin && carriesExtra ? addRuntimeInfo(sendable, origin) : sendable, redaction)
  }

  #withSendableAttachments<R extends WireRun>(run: R): R {
    const attachments = Object.entries(run.attachments ?? {})
    const invalidNames = attachments.map(([name]) => name).filter((name) => name.includes('.'))
    if (invalidNames.length === 0) return run
    this.reportProblem(`Attachments not sent, names with dots: ${invalidNames}`)
    return { ...run, attachments: Object.fromEntries(attachments.filter(([name]) => !name.includes('.'))) }
  }

  protected transportFor({ apiUrl, apiKey, workspaceId }: Destination): Transport {
    if (apiUrl === undefined && apiKey === undefined && workspaceId === undefined) return this.transport
    const { connection } = this.transport
    return new Transport(() => ({
      ...connection,
      apiUrl: clean(apiUrl) ?? connection.apiUrl,
      // A key belongs to the server it was created for.
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

  /** Makes `flush` wait for work that still records something. The promise may reject. */
  trackFinalisation<T>(work: Promise<T>): Promise<T> {
    this.#finalizations.add(work)
    const forget = () => void this.#finalizations.delete(work)
    work.then(forget, forget)
    return work
  }

  /**
   * Sends everything recorded so far, in every mode, and waits until it was delivered or given up. Also waits for ended
   * runs whose outputs or children are still pending. Never rejects.
   */
  async flush({ timeoutMs }: WaitOptions = {}): Promise<void> {
    await waitAtMost(timeoutMs, this.#drain())
  }

  /** Same as `flush`, under the name used in serverless recipes. In manual flush mode it only warns. */
  async awaitPendingTraceBatches(options: WaitOptions = {}): Promise<void> {
    if (this.#options.manual) return this.reportProblem('In manual flush mode, call flush().')
    await this.flush(options)
  }

  async #drain(): Promise<void> {
    const drain = () => Promise.all([...this.#outboxes.values()].map((outbox) => outbox.drain()))
    // Sends waiting runs while the last runs are still settling, then sends those.
    await Promise.all([drain(), Promise.allSettled(this.#finalizations)])
    await drain()
  }

  /** Call when done with the client; sends pending runs. */
  async cleanup(): Promise<void> {
    await this.flush()
  }

  /** Host of this server's web UI. */
  getHostUrl(): string {
    const { apiUrl, webUrl } = this.transport.connection
    return webHost(apiUrl, webUrl)
  }

  /** Extra headers of every request; can be replaced. */
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

  /** Leaves out the key, so that a logged client leaks no secret. */
  toJSON(): { apiUrl: string; webUrl: string | undefined; workspaceId: string | undefined } {
    const { apiUrl, webUrl, workspaceId } = this.transport.connection
    return { apiUrl, webUrl, workspaceId }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  /** Logs a recording problem through the `logger` option. */
  reportProblem(message: string): void {
    this.transport.connection.logger.warn(`[touchstone] ${message}`)
  }
}
