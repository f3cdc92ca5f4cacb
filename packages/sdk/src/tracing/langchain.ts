import { isTracingOnByEnv } from '../config/env.ts'
import { isObject } from '../guards.ts'
import type { KVMap } from '../schemas.ts'
import { findFirstDestination } from './destination.ts'
import type { RunTree, RunTreeConfig } from './run-tree.ts'
import type { TracingClientInterface } from './tracing-client.ts'

/** The parts of LangChain's run config that tracing needs. */
export interface RunnableConfigLike {
  callbacks?: unknown
  tags?: string[] | undefined
  metadata?: KVMap | undefined
}

interface TracerLike {
  name: string
  projectName?: string
  client?: TracingClientInterface
  getRun?(
    id: string,
  ): { id: string; name: string; trace_id?: string; dotted_order?: string; tags?: string[] } | undefined
}

/** True for a config whose callbacks contain LangChain's tracer, as a list or in a manager. */
export function isRunnableConfigLike(value: unknown): value is RunnableConfigLike {
  return isObject(value) && 'callbacks' in value && findTracer(value.callbacks) !== undefined
}

/** Creates a child of LangChain's current run, found through its tracer, or a root run if there is none. */
export function fromRunnableConfig(
  Tree: typeof RunTree,
  { callbacks, tags, metadata }: RunnableConfigLike,
  props: RunTreeConfig,
): RunTree {
  const tracer = findTracer(callbacks)
  const parent = tracer?.getRun?.(getParentRunId(callbacks))
  const destination = findFirstDestination({ address: props.address }, { project_name: tracer?.projectName }, props)
  const shared = {
    client: tracer?.client ?? props.client,
    project_name: destination?.project_name,
    address: destination?.address,
    tracingEnabled: tracer !== undefined || isTracingOnByEnv(),
  }
  if (!parent) return new Tree({ ...props, ...shared })
  const { id, name, trace_id, dotted_order } = parent
  const allTags = [...new Set([...(parent.tags ?? []), ...(tags ?? [])])]
  return new Tree({ ...shared, id, name, trace_id, dotted_order, tags: allTags, metadata }).createChild(props)
}

function findTracer(callbacks: unknown): TracerLike | undefined {
  if (!isObject(callbacks)) return undefined
  const handlers: unknown = Array.isArray(callbacks) ? callbacks : callbacks.handlers
  return Array.isArray(handlers) ? handlers.find(isTracer) : undefined
}

function isTracer(handler: unknown): handler is TracerLike {
  return isObject(handler) && handler.name === 'langchain_tracer'
}

function getParentRunId(callbacks: unknown): string {
  return (callbacks as { getParentRunId?(): string | undefined } | undefined)?.getParentRunId?.() ?? ''
}
