import { isTracingOnByEnv } from '../config/env.ts'
import { isObject } from '../guards.ts'
import { builtin } from '../runtime/runtime.ts'
import { createSilentRunTree, type RunTree } from './run-tree.ts'

/** The async context of the process, shared with the public package, so that runs of both nest in each other. */
const SLOT = Symbol.for('ls:tracing_async_local_storage')

interface Storage {
  getStore(): unknown
  run<T>(store: unknown, task: () => T): T
}

/** On platforms without async context, runs are connected by explicit run trees only. */
const NO_CONTEXT: Storage = { getStore: () => undefined, run: (_store, task) => task() }

const globals = globalThis as { [SLOT]?: Storage; AsyncLocalStorage?: new () => Storage }

function getStorage(): Storage {
  globals[SLOT] ??= createStorage()
  return globals[SLOT]
}

function createStorage(): Storage {
  const AsyncLocalStorage = globals.AsyncLocalStorage ?? builtin('node:async_hooks')?.AsyncLocalStorage
  return AsyncLocalStorage ? new AsyncLocalStorage() : NO_CONTEXT
}

/** Returns the run tree of the current async context. It may come from another package with the same shape. */
export function findContextRunTree(): RunTree | undefined {
  const store = globals[SLOT]?.getStore()
  return findInner(isRunTree(store) ? store : undefined)
}

let findInner = (own: RunTree | undefined) => own

/** Sets a function that may find a run inside of the run of this package's context. */
export function setInnerContext(find: typeof findInner): void {
  findInner = find
}

/** Runs a task with `runTree` as the parent of all runs it starts. */
export function runInContext<T>(runTree: RunTree, task: () => T): T {
  return getStorage().run(runTree, task)
}

/**
 * Checks the shape, not the class: the ESM and CommonJS builds of this package, and the public package, have different
 * classes.
 */
export function isRunTree(value: unknown): value is RunTree {
  return isObject(value) && typeof value.createChild === 'function' && typeof value.postRun === 'function'
}

let hasUntracedCall = false

/** Records that a traceable ran untraced: from then on a missing run tree is not a mistake of the caller. */
export function recordUntracedCall(): void {
  hasUntracedCall = true
}

/**
 * Returns the run tree of the surrounding traceable.
 *
 * With tracing off, traceables do not set the context, and this returns a run tree that records nothing, so that code
 * inside them works unchanged.
 *
 * @throws Error outside of any traceable, unless `permitAbsentRunTree` is set
 */
export function getCurrentRunTree(): RunTree
export function getCurrentRunTree(permitAbsentRunTree: false): RunTree
export function getCurrentRunTree(permitAbsentRunTree: boolean): RunTree | undefined
export function getCurrentRunTree(permitAbsentRunTree = false): RunTree | undefined {
  const runTree = findContextRunTree()
  if (runTree || permitAbsentRunTree) return runTree
  if (hasUntracedCall && !isTracingOnByEnv()) return createSilentRunTree()
  throw new Error('Could not get the current run tree. Call this inside a traceable, with tracing on.')
}

/** Runs `fn` with `runTree` as the current run; a synchronous throw becomes a rejection. */
export async function withRunTree<T>(runTree: RunTree, fn: () => T): Promise<Awaited<T>> {
  return await runInContext(runTree, fn)
}

/** Whether code here would be traced: the setting of the surrounding run, or else the environment. */
export function isTracingEnabled(tracingEnabled?: boolean): boolean {
  return tracingEnabled ?? findContextRunTree()?.tracingEnabled ?? isTracingOnByEnv()
}

/** Exposes the shared context in the same shape as the public package. */
export const AsyncLocalStorageProviderSingleton = {
  getInstance: (): Storage => getStorage(),
  /** The first call wins. */
  initializeGlobalInstance(instance: Storage): void {
    globals[SLOT] ??= instance
  },
}
