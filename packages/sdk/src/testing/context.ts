import { env, isTracingOnByEnv } from '../config/env.ts'
import { builtin } from '../runtime/runtime.ts'
import type { KVMap } from '../schemas.ts'
import type { RunTree } from '../tracing/run-tree.ts'
import type { Suite } from './suite.ts'
import type { TestFeedback } from './types.ts'

/** The test that is running. */
export interface RunningTest {
  inputs: KVMap
  referenceOutputs: KVMap
  /** The three are absent when the test is not recorded. */
  exampleId: string | undefined
  experimentId: string | undefined
  runTree: RunTree | undefined
  outputs: KVMap | undefined
  feedback: TestFeedback[]
}

export interface TestContext {
  suite: Suite
  test?: RunningTest | undefined
}

interface Storage {
  getStore(): TestContext | undefined
  run<T>(context: TestContext, task: () => T): T
}

/** One per process, so that the copies of this package (ESM, CommonJS, inlined by a bundler) know of each other. */
const SLOT = Symbol.for('touchstone:test_context')

function storage(): Storage {
  const globals = globalThis as { [SLOT]?: Storage }
  globals[SLOT] ??= newStorage()
  return globals[SLOT]
}

function newStorage(): Storage {
  const AsyncLocalStorage = builtin('node:async_hooks')?.AsyncLocalStorage
  if (!AsyncLocalStorage)
    throw new Error('The test integration needs a runtime with AsyncLocalStorage, such as Node.js.')
  return new AsyncLocalStorage<TestContext>()
}

export function testContext(): TestContext | undefined {
  return storage().getStore()
}

export function inTestContext<T>(context: TestContext, task: () => T): T {
  return storage().run(context, task)
}

/** True inside a test of this integration. */
export function isInTestContext(): boolean {
  return testContext() !== undefined
}

/** @throws outside a suite, and outside a test of one */
export function runningTest(what: string): { suite: Suite; test: RunningTest } {
  const context = testContext()
  if (!context) {
    throw new Error(
      `Could not retrieve test context. Make sure your ${what} call is nested within a "ls.describe()" block.`,
    )
  }
  if (!context.test) {
    throw new Error(
      `Could not retrieve current example. Make sure your ${what} call is nested within a "ls.test()" block.`,
    )
  }
  return { suite: context.suite, test: context.test }
}

/** The test's or the suite's own word, else `…_TEST_TRACKING`, else whether tracing is on. */
export function isTracked(...configured: (boolean | undefined)[]): boolean {
  for (const own of configured) if (own !== undefined) return own
  return env('TEST_TRACKING') !== 'false' && isTracingOnByEnv()
}
