import { isTracingOnByEnv } from '../config/env.ts'
import { builtin } from '../runtime/builtins.ts'
import { type RunTree, silentRunTree } from './run-tree.ts'

/** The one context of a process, shared with the public package, so that runs of both nest in each other. */
const SLOT = Symbol.for('ls:tracing_async_local_storage')

interface Storage {
  getStore(): unknown
  run<T>(store: unknown, task: () => T): T
}

/** Where a platform has no async context, only explicit run trees connect runs. */
const NO_CONTEXT: Storage = { getStore: () => undefined, run: (_store, task) => task() }

const globals = globalThis as { [SLOT]?: Storage; AsyncLocalStorage?: new () => Storage }

function storage(): Storage {
  globals[SLOT] ??= newStorage()
  return globals[SLOT]
}

function newStorage(): Storage {
  const AsyncLocalStorage = globals.AsyncLocalStorage ?? builtin('node:async_hooks')?.AsyncLocalStorage
  return AsyncLocalStorage ? new AsyncLocalStorage() : NO_CONTEXT
}

/** The run tree this code runs under; of any package that keeps to the shape. */
export function contextRunTree(): RunTree | undefined {
  const store = globals[SLOT]?.getStore()
  return isRunTree(store) ? store : undefined
}

/** Runs a task with `runTree` as the parent of what it starts. */
export function inContext<T>(runTree: RunTree, task: () => T): T {
  return storage().run(runTree, task)
}

/** By shape, not by class: the ESM and CommonJS copies of this package, and the public one, have different classes. */
export function isRunTree(value: unknown): value is RunTree {
  const tree = value as Partial<RunTree> | null | undefined
  return (
    typeof tree === 'object' &&
    tree !== null &&
    typeof tree.createChild === 'function' &&
    typeof tree.postRun === 'function'
  )
}

let calledThrough = false

/** Remembers that a traceable ran untraced: from then on a missing run tree is no mistake of the caller's. */
export function noteCallThrough(): void {
  calledThrough = true
}

/**
 * The run tree of the traceable that this code runs in.
 *
 * With tracing off, traceables leave the context alone, and this returns a run tree that records nothing, so that code
 * inside them works unchanged.
 *
 * @throws outside any traceable, unless `permitAbsentRunTree`
 */
export function getCurrentRunTree(): RunTree
export function getCurrentRunTree(permitAbsentRunTree: false): RunTree
export function getCurrentRunTree(permitAbsentRunTree: boolean): RunTree | undefined
export function getCurrentRunTree(permitAbsentRunTree = false): RunTree | undefined {
  const runTree = contextRunTree()
  if (runTree || permitAbsentRunTree) return runTree
  if (calledThrough && !isTracingOnByEnv()) return silentRunTree()
  throw new Error(
    'Could not get the current run tree.\n\nPlease make sure you are calling this method within a traceable function or the tracing is enabled.',
  )
}

/** Runs `fn` as if inside `runTree`; a synchronous throw becomes a rejection. */
export async function withRunTree<T>(runTree: RunTree, fn: () => T): Promise<Awaited<T>> {
  return await inContext(runTree, fn)
}

/** Whether code here would be traced: the surrounding run's own setting, else the environment. */
export function isTracingEnabled(tracingEnabled?: boolean): boolean {
  return tracingEnabled ?? contextRunTree()?.tracingEnabled ?? isTracingOnByEnv()
}

/** The shape under which the public package exposes the shared context. */
export const AsyncLocalStorageProviderSingleton = {
  getInstance: (): Storage => storage(),
  /** First writer wins. */
  initializeGlobalInstance(instance: Storage): void {
    globals[SLOT] ??= instance
  },
}
