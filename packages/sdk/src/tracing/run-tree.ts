import { env, envIsOn, isTracingOnByEnv } from '../config/env.ts'
import { uuid7FromTime } from '../ids/uuid.ts'
import { reportProblem } from '../logger.ts'
import type { Attachments, KVMap, RunCreate, RunUpdate } from '../schemas.ts'
import type { AgentAddress } from './address.ts'
import { findEnvDestination, findFirstDestination } from './destination.ts'
import { formatMicroseconds, formatSegment } from './dotted-order.ts'
import { type HeadersLike, readTraceHeaders, writeTraceHeaders } from './headers.ts'
import { fromRunnableConfig, type RunnableConfigLike } from './langchain.ts'
import { getSharedClient } from './shared-client.ts'
import type { TracingClient, TracingClientInterface } from './tracing-client.ts'

/** Everything but `name` has a default. */
export interface RunTreeConfig {
  name: string
  /** @default `chain` */
  run_type?: string | undefined
  /** @default a version 7 UUID made from `start_time` */
  id?: string | undefined
  /** @default the parent's project or address, or else the environment's */
  project_name?: string | undefined
  /** Sends the run to the project of an agent's environment, instead of `project_name`. */
  address?: AgentAddress | undefined
  parent_run?: RunTree | undefined
  parent_run_id?: string | undefined
  child_runs?: RunTree[] | undefined
  /** Epoch milliseconds or ISO text. @default now */
  start_time?: number | string | undefined
  end_time?: number | string | undefined
  extra?: KVMap | undefined
  metadata?: KVMap | undefined
  tags?: string[] | undefined
  error?: string | undefined
  serialized?: object | undefined
  inputs?: KVMap | undefined
  outputs?: KVMap | undefined
  reference_example_id?: string | undefined
  /** @default the shared client */
  client?: TracingClientInterface | undefined
  /** `false` creates a tree that records nothing. */
  tracingEnabled?: boolean | undefined
  events?: RunEvent[] | undefined
  trace_id?: string | undefined
  dotted_order?: string | undefined
  attachments?: Attachments | undefined
  execution_order?: number | undefined
  child_execution_order?: number | undefined
  distributedParentId?: string | undefined
}

export interface RunEvent {
  name?: string | undefined
  /** ISO text. @default now */
  time?: string | undefined
  message?: string | undefined
  kwargs?: KVMap | undefined
  [key: string]: unknown
}

/**
 * One run, for manual recording: construct it, `postRun()`, add children with `createChild`, `end()`, `patchRun()`.
 * Recording never throws. Posting and patching only queue; `client.flush()` delivers.
 */
export class RunTree {
  // Declared only: the constructor sets them all, and a bundle needs no second list of their names.
  declare id: string
  declare name: string
  declare run_type: string
  /** Unset for a run with an `address`. */
  declare project_name?: string | undefined
  declare address?: AgentAddress | undefined
  declare parent_run?: RunTree | undefined
  declare parent_run_id?: string | undefined
  /**
   * Children created before this run was posted. Later children are not kept, so that a long run uses little memory.
   */
  declare child_runs: RunTree[]
  declare start_time: number | string
  declare end_time?: number | string | undefined
  declare extra: KVMap
  declare tags: string[]
  declare error?: string | undefined
  declare serialized: object
  declare inputs: KVMap
  declare outputs?: KVMap | undefined
  declare reference_example_id?: string | undefined
  declare tracingEnabled?: boolean | undefined
  declare events: RunEvent[]
  declare trace_id: string
  declare dotted_order: string
  declare attachments?: Attachments | undefined
  declare execution_order: number
  declare child_execution_order: number
  declare distributedParentId?: string | undefined
  /** Start time as sent; it must equal the one in `dotted_order`. */
  readonly #startText: string
  readonly #client: TracingClientInterface | undefined
  #posting: Promise<void> | undefined
  #posted = false
  #sentAttachments: Attachments = {}

  /**
   * @param config  a run tree makes a shallow copy
   * @throws Error when it names a project and an address, or an address that cannot receive traces
   */
  constructor(config: RunTreeConfig | RunTree) {
    const parent = config.parent_run
    const start = config.start_time ?? Date.now()
    this.start_time = start
    this.id = config.id ?? uuid7FromTime(start)
    this.name = config.name
    this.run_type = config.run_type ?? 'chain'
    const destination =
      findFirstDestination(config, parent) ??
      findEnvDestination(config.client, !(config.tracingEnabled ?? isTracingOnByEnv()))
    this.project_name = destination?.project_name
    this.address = destination?.address
    this.parent_run = parent
    this.parent_run_id = parent?.id ?? config.parent_run_id
    this.child_runs = config.child_runs ?? []
    this.end_time = config.end_time
    this.extra = { ...config.extra, metadata: { ...config.extra?.metadata, ...config.metadata } }
    this.tags = config.tags ?? []
    this.error = config.error
    this.serialized = config.serialized ?? {}
    this.inputs = config.inputs ?? {}
    this.outputs = config.outputs
    this.reference_example_id = config.reference_example_id
    this.tracingEnabled = destination ? config.tracingEnabled : false
    this.events = config.events ?? []
    this.attachments = config.attachments
    this.execution_order = config.execution_order ?? 1
    this.child_execution_order = config.child_execution_order ?? 1
    this.distributedParentId = config.distributedParentId
    this.#startText = formatMicroseconds(toEpochMs(start), this.execution_order)
    this.dotted_order = config.dotted_order ?? this.#buildDottedOrder(parent)
    const [rootSegment = ''] = this.dotted_order.split('.', 1)
    this.trace_id = config.trace_id ?? parent?.trace_id ?? rootSegment.slice(-36)
    this.#client = config.client
  }

  /** The client that records this run. */
  get client(): TracingClientInterface {
    return this.#client ?? getSharedClient()
  }

  get metadata(): KVMap {
    return this.extra.metadata ?? {}
  }

  /** Adds to the metadata instead of replacing it. */
  set metadata(metadata: KVMap) {
    this.extra = { ...this.extra, metadata: { ...this.extra.metadata, ...metadata } }
  }

  #buildDottedOrder(parent: RunTree | undefined): string {
    const segment = formatSegment(this.#startText, this.id)
    return parent ? `${parent.dotted_order}.${segment}` : segment
  }

  /**
   * Creates a run below this one. Project or address, client and `tracingEnabled` always come from this run. Metadata
   * is inherited, except the keys that describe a model call; tags are not inherited.
   */
  createChild(config: RunTreeConfig): RunTree {
    const order = this.child_execution_order + 1
    const child = new RunTree({
      ...config,
      metadata: { ...selectInheritable(this.metadata), ...config.extra?.metadata, ...config.metadata },
      parent_run: this,
      project_name: this.project_name,
      address: this.address,
      client: this.#client,
      tracingEnabled: this.tracingEnabled,
      execution_order: order,
      child_execution_order: order,
      distributedParentId: this.distributedParentId,
    })
    raiseExecutionOrder(this, order)
    if (!this.#posted) this.child_runs.push(child)
    return child
  }

  /** Sets fields that are not set yet and adds metadata. Does not send: `patchRun` does. */
  async end(outputs?: KVMap, error?: string, endTime: number = Date.now(), metadata?: KVMap): Promise<void> {
    this.outputs ??= outputs
    this.error ??= error
    this.end_time ??= endTime
    if (metadata && Object.keys(metadata).length > 0) this.metadata = metadata
  }

  /**
   * Queues the creation of the run. `inputs` may be a promise, which is awaited. Never rejects.
   *
   * @param excludeChildRuns `false` also posts the children created so far
   */
  async postRun(excludeChildRuns = true): Promise<void> {
    if (this.tracingEnabled === false) return
    const children = excludeChildRuns ? [] : this.child_runs
    this.child_runs = []
    this.#posted = true
    this.#posting = this.#post()
    await this.#posting
    for (const child of children) await child.postRun(false)
  }

  async #post(): Promise<void> {
    try {
      if (isPromise(this.inputs)) this.inputs = await this.inputs
      this.#sentAttachments = { ...this.attachments }
      await this.client.createRun(this.#toCreate())
    } catch (error) {
      reportProblem(this.client, `Error in postRun for run ID: ${this.id}: ${error}`)
    }
  }

  /**
   * Queues an update with the current state. Never rejects.
   *
   * @param options.excludeInputs does not send the inputs again. @default true, or `…_EXCLUDE_INPUTS_ON_PATCH`
   */
  async patchRun({ excludeInputs = excludesInputs() }: { excludeInputs?: boolean } = {}): Promise<void> {
    if (this.tracingEnabled === false) return
    try {
      // A creation that waits for its inputs goes first; any other is queued already.
      if (isPromise(this.inputs)) await this.#posting
      await this.client.updateRun(this.id, this.#toUpdate(excludeInputs))
    } catch (error) {
      reportProblem(this.client, `Error in patchRun for run ID: ${this.id}: ${error}`)
    }
    this.child_runs = []
  }

  #shared() {
    const { id, name, run_type, end_time, error, outputs, parent_run, parent_run_id, reference_example_id } = this
    const { extra, events, dotted_order, trace_id, tags, project_name, address, execution_order } = this
    return {
      id,
      name,
      run_type,
      start_time: this.#startText,
      // In the same unit as the start, so that a run that ends in its first millisecond does not end before its start.
      end_time: typeof end_time === 'number' ? formatMicroseconds(end_time, execution_order) : end_time,
      error,
      outputs,
      parent_run_id: parent_run?.id ?? parent_run_id,
      reference_example_id,
      extra,
      events: events.length > 0 ? events : undefined,
      dotted_order,
      trace_id,
      tags,
      session_name: project_name,
      address,
    }
  }

  #toCreate(): RunCreate {
    const serialized = Object.keys(this.serialized).length > 0 ? this.serialized : undefined
    return { ...this.#shared(), inputs: this.inputs, serialized, attachments: this.attachments }
  }

  #toUpdate(excludeInputs: boolean): RunUpdate {
    const newAttachments = Object.entries(this.attachments ?? {}).filter(
      ([name, data]) => this.#sentAttachments[name] !== data,
    )
    const attachments = newAttachments.length > 0 ? Object.fromEntries(newAttachments) : undefined
    return { ...this.#shared(), attachments, ...(!excludeInputs && { inputs: this.inputs }) }
  }

  /** @param event a text becomes the message of an event */
  addEvent(event: RunEvent | string): void {
    const time = new Date().toISOString()
    if (typeof event === 'string') this.events.push({ name: 'event', time, message: event })
    else this.events.push({ ...event, time: event.time ?? time })
  }

  /** The body that `postRun` would send, with children. Contains no client and no secrets. */
  toJSON(): RunCreate {
    return { ...this.#toCreate(), child_runs: this.child_runs.map((child) => child.toJSON()) }
  }

  /**
   * Returns headers that let a called service continue this trace.
   *
   * @param headers also set on this object; `baggage` members of other tools are kept
   */
  toHeaders(headers?: HeadersLike): Record<string, string> {
    return this.tracingEnabled === false ? {} : writeTraceHeaders(this, headers)
  }

  /**
   * Returns the caller's run as a parent for runs of this process; it is not posted.
   *
   * @returns `undefined` without a valid trace header: a broken header must not break the request
   */
  static fromHeaders(headers: HeadersLike, inheritArgs?: Partial<RunTreeConfig>): RunTree | undefined {
    const caller = readTraceHeaders(headers)
    if (!caller) return undefined
    return new RunTree({
      ...inheritArgs,
      ...caller,
      name: inheritArgs?.name ?? 'parent',
      metadata: { ...inheritArgs?.metadata, ...caller.metadata },
      tags: [...new Set([...(inheritArgs?.tags ?? []), ...caller.tags])],
      distributedParentId: caller.id,
    })
  }

  static fromDottedOrder(dottedOrder: string): RunTree | undefined {
    return RunTree.fromHeaders({ 'langsmith-trace': dottedOrder })
  }

  /** Creates a child of LangChain's current run, found through the callbacks of its config, or else a new root run. */
  static fromRunnableConfig(config: RunnableConfigLike, props: RunTreeConfig): RunTree {
    return fromRunnableConfig(RunTree, config, props)
  }

  /** The client of runs without a client of their own; one per process. */
  static getSharedClient(): TracingClient {
    return getSharedClient()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `RunTree { name: '${this.name}', run_type: '${this.run_type}', id: '${this.id}', dotted_order: '${this.dotted_order}' }`
  }
}

/** A run tree with the full interface that records nothing. */
export function createSilentRunTree(): RunTree {
  return new RunTree({ name: 'untraced', tracingEnabled: false })
}

function toEpochMs(time: number | string): number {
  return typeof time === 'number' ? time : new Date(time).getTime()
}

/** The order of a child is propagated to all ancestors, so that their later children get a higher one. */
function raiseExecutionOrder(from: RunTree, order: number): void {
  for (let run: RunTree | undefined = from; run && run.child_execution_order < order; run = run.parent_run) {
    run.child_execution_order = order
  }
}

/** These keys describe a single model call, so they must not be inherited by child runs. */
const NOT_INHERITED = new Set([
  'usage_metadata',
  'ls_provider',
  'ls_model_name',
  'ls_model_type',
  'ls_temperature',
  'ls_max_tokens',
  'ls_stop',
  'ls_invocation_params',
])

function selectInheritable(metadata: KVMap): KVMap {
  const inherited: KVMap = {}
  for (const key of Object.keys(metadata)) if (!NOT_INHERITED.has(key)) inherited[key] = metadata[key]
  return inherited
}

function excludesInputs(): boolean {
  return env('EXCLUDE_INPUTS_ON_PATCH') === undefined || envIsOn('EXCLUDE_INPUTS_ON_PATCH')
}

function isPromise(value: unknown): value is Promise<KVMap> {
  return value instanceof Promise
}
