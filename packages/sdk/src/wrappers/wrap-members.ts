import { reportProblem } from '../logger.ts'
import { getCurrentRunTree } from '../tracing/context.ts'
import type { RunTree, RunTreeConfig } from '../tracing/run-tree.ts'
import { getBoundMember } from '../tracing/traceable/streams.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import type { AnyFunction, TraceableConfig } from '../tracing/traceable/types.ts'

/** Settings of one call, as the second argument: `create(body, { langsmithExtra: { name: 'draft' } })`. */
export interface LangSmithExtra {
  /** Removed before the call. */
  langsmithExtra?: Pick<RunTreeConfig, 'name' | 'metadata' | 'tags'> & Partial<RunTreeConfig>
}

/** The members to trace, by their path in a client. */
export interface MemberTree {
  readonly [name: string]: MemberTree | TraceMember
}

/** Makes the traced form of a method, which is bound already. */
export type TraceMember = (method: AnyFunction) => AnyFunction

/** Clients that a wrapper returned. */
const WRAPPED = new WeakSet<object>()

/** @throws Error for a client that is wrapped */
export function refuseWrapped(client: object, kind: string): void {
  if (!WRAPPED.has(client)) return
  throw new Error(`This instance of ${kind} client has been already wrapped once.`)
}

/**
 * A proxy of a client whose listed methods are traced. Everything else, its class too, is that of the client; a client
 * that `withOptions` returns is wrapped in the same way.
 */
export function wrapMembers<Client extends object>(client: Client, tree: MemberTree): Client {
  const made = new Map<PropertyKey, { readonly from: unknown; readonly to: unknown }>()
  const proxy = new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      const kept = made.get(key)
      if (kept !== undefined && kept.from === value) return kept.to
      const to = wrapMember(target, key, value, tree)
      made.set(key, { from: value, to })
      return to
    },
  })
  WRAPPED.add(proxy)
  return proxy
}

function wrapMember(target: object, key: PropertyKey, value: unknown, tree: MemberTree): unknown {
  const below = typeof key === 'string' && Object.hasOwn(tree, key) ? tree[key] : undefined
  if (typeof value === 'function' && typeof below === 'function') return below(value.bind(target) as AnyFunction)
  if (typeof value === 'object' && value !== null && typeof below === 'object') return wrapMembers(value, below)
  if (key === 'withOptions' && typeof value === 'function') {
    return (...args: unknown[]) => wrapMembers(value.apply(target, args) as object, tree)
  }
  return getBoundMember(target, key)
}

/** Traces a method that returns a promise or a promise of a stream. */
export const traceMethod =
  (config: TraceableConfig): TraceMember =>
  (method) =>
    traceable(method, { ...config, argsConfigPath: [1, 'langsmithExtra'] }) as AnyFunction

/** The parts of the event streams of OpenAI's and Anthropic's clients that are used. */
interface EventStream {
  on(event: string, listener: (part: Record<string, unknown>) => void): unknown
}

export interface EventStreamNames {
  /** The first one is the time of the first token. */
  readonly event: string
  /** The method that resolves with the whole answer. */
  readonly final: string
}

/**
 * Traces a method that returns an event stream at once. The stream is that of the client: it may be iterated, listened
 * to, or only awaited, and the run ends when the stream does. One that fails or is aborted has the outputs so far.
 */
export const traceEventStream =
  (config: TraceableConfig, { event, final }: EventStreamNames): TraceMember =>
  (method) =>
  (...args: unknown[]) => {
    const { aggregator: _, ...rest } = config
    let started: { readonly stream: unknown } | undefined
    let failure: unknown
    const record = (...own: unknown[]) => {
      try {
        const stream = method(...own) as EventStream & Record<string, () => unknown>
        started = { stream }
        const run = getCurrentRunTree(true)
        const parts: Record<string, unknown>[] = []
        stream.on(event, (part) => {
          if (parts.push(part) === 1) run?.addEvent({ name: 'new_token' })
        })
        const ended = stream[final]?.() as Promise<unknown> | undefined
        return ended?.catch((error: unknown) => {
          if (run && parts.length > 0) recordPartialOutputs(run, config, parts)
          throw error
        })
      } catch (error) {
        failure = error
        throw error
      }
    }
    const ended = traceable(record, { ...rest, argsConfigPath: [1, 'langsmithExtra'] })(...args) as Promise<unknown>
    // Who uses the stream gets the error from it.
    ended.catch(() => undefined)
    if (started === undefined) throw failure
    return started.stream
  }

function recordPartialOutputs(run: RunTree, { aggregator, processOutputs }: TraceableConfig, parts: unknown[]): void {
  try {
    const merged = aggregator?.(parts) as Record<string, unknown> | undefined
    if (merged !== undefined) run.outputs = (processOutputs?.(merged) ?? merged) as Record<string, unknown>
  } catch (error) {
    reportProblem(run.client, `The events of ${run.name} could not be merged: ${error}`)
  }
}

/** The request of a call, without its options. */
export function bodyOf(inputs: Record<string, unknown>): Record<string, unknown> {
  const [body] = Array.isArray(inputs.args) ? (inputs.args as unknown[]) : [inputs]
  return (body ?? {}) as Record<string, unknown>
}

/** A call without a parent is an agent of one step. */
export function markAgentRoot(run: RunTree | undefined): void {
  if (run === undefined || run.parent_run !== undefined || run.metadata.ls_agent_type !== undefined) return
  run.metadata = { ls_agent_type: 'root' }
}

/** Usage is read from the metadata first, also where outputs are hidden. */
export function keepUsage(run: RunTree): void {
  const usage: unknown = run.outputs?.usage_metadata
  if (usage !== undefined) run.metadata = { usage_metadata: usage }
}
