import { envIsOn } from '../../config/env.ts'
import { isObject } from '../../guards.ts'
import { reportProblem } from '../../logger.ts'
import type { KVMap } from '../../schemas.ts'
import { toFailureMarker } from '../redact.ts'
import type { RunTree } from '../run-tree.ts'
import { toPlainCopy } from '../serialize.ts'
import { waitAtMost } from '../wait-at-most.ts'
import { MAX_WAIT_MS, waitForChildren } from './children.ts'
import type { DeferredInputs } from './deferred-inputs.ts'
import { formatError, isPlainObject, toErrorMarker, toInputs, toOutputs } from './payloads.ts'
import type { TraceableConfig } from './types.ts'

/** The parts of a traceable's config that a recording uses. */
export type Hooks = Pick<TraceableConfig, 'aggregator' | 'on_end' | 'processInputs' | 'processOutputs'>

interface FinishingClient {
  trackFinalisation?<T>(work: Promise<T>): Promise<T>
  blocksOnRootRun?: boolean
}

/**
 * One traced call, from its result to its queued end. It ends once; no failure in here reaches the caller.
 *
 * The methods that end it return a promise when the caller has to wait for it, which is only the case for root runs in
 * the mode that guarantees delivery.
 */
export class Recording {
  readonly runTree: RunTree
  /** Called with each chunk of a stream. It must not throw. @default adds an event to a run of type llm */
  onChunk?: (chunk: unknown) => void
  readonly #hooks: Hooks
  readonly #deferred: DeferredInputs | undefined
  readonly #chunks: unknown[] = []
  readonly #onSettled: () => void
  #ended = false

  constructor(runTree: RunTree, hooks: Hooks, deferred: DeferredInputs | undefined, onSettled: () => void) {
    this.runTree = runTree
    this.#hooks = hooks
    this.#deferred = deferred
    this.#onSettled = onSettled
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  addChunk(chunk: unknown): void {
    if (this.#ended) return
    this.#chunks.push(chunk)
    if (this.onChunk) this.onChunk(chunk)
    // The server computes the time to first token from these events; the token itself is in the outputs.
    else if (this.runTree.run_type === 'llm') this.runTree.addEvent({ name: 'new_token' })
  }

  succeed(result: unknown): Promise<void> | undefined {
    return this.#end(() => result)
  }

  /** The stream was consumed to its end. */
  finishStream(): Promise<void> | undefined {
    return this.#end(() => this.#aggregate())
  }

  fail(error: unknown): Promise<void> | undefined {
    return this.#end(() => this.#partial(), formatError(error))
  }

  /** The consumer stopped before the end. */
  cancel(): Promise<void> | undefined {
    return this.#end(() => this.#partial(), 'Cancelled')
  }

  #partial(): unknown {
    return this.#chunks.length > 0 ? this.#aggregate() : undefined
  }

  #aggregate(): unknown {
    try {
      return this.#hooks.aggregator ? this.#hooks.aggregator(this.#chunks) : this.#chunks
    } catch (error) {
      reportProblem(this.runTree.client, `The aggregator of ${this.runTree.name} failed: ${error}`)
      return this.#chunks
    }
  }

  #end(getResult: () => unknown, error?: string): Promise<void> | undefined {
    if (this.#ended) return undefined
    this.#ended = true
    const done = this.#settle(getResult, error, Date.now()).finally(this.#onSettled)
    ;(this.runTree.client as FinishingClient).trackFinalisation?.(done)
    return this.#isAwaited ? done : undefined
  }

  get #isAwaited(): boolean | undefined {
    const { client, parent_run, parent_run_id } = this.runTree
    return !parent_run && !parent_run_id && (client as FinishingClient).blocksOnRootRun
  }

  // No `await` on the common path, so that the outputs are captured before the caller can change them.
  async #settle(getResult: () => unknown, error: string | undefined, endTime: number): Promise<void> {
    const { runTree } = this
    try {
      let result = getResult()
      if (result instanceof Promise) result = await result.catch(() => this.#chunks)
      // A caller that waits for this run may be the one who settles them.
      const settled = settleMembers(result, this.#isAwaited ? 0 : MAX_WAIT_MS)
      if (settled) result = await settled
      const failedEarly = error !== undefined && result === undefined
      let outputs = failedEarly ? undefined : this.#processOutputs(result)
      if (outputs instanceof Promise) outputs = await outputs
      void runTree.end(outputs, error, endTime)
      const children = error === undefined ? waitForChildren(runTree) : undefined
      if (children) {
        // While waiting, the caller has its result and may change it.
        if (outputs) runTree.outputs = toPlainCopy(outputs)
        await children
      }
      this.#callOnEnd()
      await this.#patch()
    } catch (failure) {
      reportProblem(runTree.client, `Could not record the end of ${runTree.name}: ${failure}`)
    }
  }

  async #patch(): Promise<void> {
    if (!this.#deferred) return await this.runTree.patchRun()
    this.runTree.inputs = await applyHook(
      this.runTree.client,
      toInputs(this.#deferred.settle()),
      this.#hooks.processInputs,
      'inputs',
    )
    await this.runTree.patchRun({ excludeInputs: false })
  }

  #processOutputs(result: unknown): KVMap | Promise<KVMap> {
    const outputs = toOutputs(result)
    const usage: unknown = isObject(result) && 'usage_metadata' in result ? result.usage_metadata : undefined
    const { processOutputs } = this.#hooks
    if (isObject(usage)) this.runTree.metadata = { usage_metadata: usage }
    else if (this.runTree.metadata.usage_metadata && !processOutputs && isPlainObject(result)) {
      outputs.usage_metadata = this.runTree.metadata.usage_metadata
    }
    return applyHook(this.runTree.client, outputs, processOutputs, 'outputs')
  }

  #callOnEnd(): void {
    try {
      this.#hooks.on_end?.(this.runTree)
    } catch (error) {
      reportProblem(this.runTree.client, `on_end of ${this.runTree.name} failed: ${error}`)
    }
  }
}

/** Only these: awaiting the promises of some clients starts a request. */
const isPlainPromise = (value: unknown) => isObject(value) && Object.getPrototypeOf(value) === Promise.prototype

/**
 * A copy of a result with what the promises in it resolve to, such as the text of a stream that the caller reads. Those
 * that stay open are left.
 */
function settleMembers(result: unknown, maxWaitMs: number): Promise<unknown> | undefined {
  if (!(Array.isArray(result) || isPlainObject(result)) || !Object.values(result).some(isPlainPromise)) return undefined
  const copy: KVMap = Array.isArray(result) ? ([...result] as unknown as KVMap) : { ...result }
  const settled = Object.keys(copy).map(async (key) => {
    if (isPlainPromise(copy[key])) copy[key] = await (copy[key] as Promise<unknown>).catch(toErrorMarker)
  })
  return waitAtMost(maxWaitMs, Promise.all(settled)).then(() => copy)
}

const HOOK_NAMES = { inputs: 'processInputs', outputs: 'processOutputs' } as const

/**
 * Applies a hook to a payload. If the hook fails, the payload is dropped, unless the environment allows unprocessed
 * payloads.
 */
export function applyHook(
  client: object,
  payload: KVMap,
  hook: ((payload: never) => KVMap | Promise<KVMap>) | undefined,
  part: 'inputs' | 'outputs',
): KVMap | Promise<KVMap> {
  if (!hook) return payload
  const failed = (error: unknown): KVMap => {
    reportProblem(client, `${HOOK_NAMES[part]} failed: ${error}`)
    return envIsOn('ALLOW_UNPROCESSED_PAYLOADS') ? payload : toFailureMarker(part, HOOK_NAMES[part])
  }
  try {
    const result = hook({ ...payload } as never)
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}
