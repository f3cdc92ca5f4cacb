import { env, isTracingOnByEnv } from '../config/env.ts'
import { builtin } from '../runtime/runtime.ts'
import type { KVMap } from '../schemas.ts'
import type { RunTree } from '../tracing/run-tree.ts'
import type { Suite } from './suite.ts'
import type { TestFeedback } from './types.ts'

/** The running test. */
export interface RunningTest {
  inputs: KVMap
  referenceOutputs: KVMap
  /** `exampleId`, `experimentId` and `runTree` are absent when the test is not recorded. */
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

/** One per process, so that all copies of this package (ESM, CommonJS, bundled) share it. */
const SLOT = Symbol.for('touchstone:test_context')

function getStorage(): Storage {
  const globals = globalThis as { [SLOT]?: Storage }
  globals[SLOT] ??= createStorage()
  return globals[SLOT]
}

function createStorage(): Storage {
  const AsyncLocalStorage = builtin('node:async_hooks')?.AsyncLocalStorage
  if (!AsyncLocalStorage)
    throw new Error('The test integration needs a runtime with AsyncLocalStorage, such as Node.js.')
  return new AsyncLocalStorage<TestContext>()
}

export function findTestContext(): TestContext | undefined {
  return getStorage().getStore()
}

export function runInTestContext<T>(context: TestContext, task: () => T): T {
  return getStorage().run(context, task)
}

/** True inside a test of this integration. */
export function isInTestContext(): boolean {
  return findTestContext() !== undefined
}

/** @throws Error outside a suite, or outside a test of a suite */
export function getRunningTest(what: string): { suite: Suite; test: RunningTest } {
  const context = findTestContext()
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

/** The setting of the test or the suite, or else `…_TEST_TRACKING`, or else whether tracing is on. */
export function isTracked(...configured: (boolean | undefined)[]): boolean {
  for (const own of configured) if (own !== undefined) return own
  return env('TEST_TRACKING') !== 'false' && isTracingOnByEnv()
}

/**
 * Records feedback on the running test.
 *
 * @throws Error outside `ls.describe` and `ls.test`
 */
export function logFeedback(feedback: TestFeedback, config: { sourceRunId?: string | undefined } = {}): void {
  const { suite, test } = getRunningTest('logFeedback')
  test.feedback.push(feedback)
  if (!test.runTree) return
  const { key, score, value, comment, correction, evaluatorInfo, feedbackConfig } = feedback
  const sourceRunId = config.sourceRunId ?? feedback.sourceRunId
  suite.track(
    suite.client.createFeedback({
      runId: test.runTree.id,
      key,
      score,
      value,
      comment,
      correction,
      feedbackConfig,
      sourceInfo: evaluatorInfo,
      feedbackSourceType: 'model',
      sourceRunId,
      sessionId: test.experimentId,
      traceId: test.runTree.trace_id,
    }),
  )
}

/**
 * Records the outputs of the tested code. A return value of the test takes precedence.
 *
 * @throws Error outside `ls.describe` and `ls.test`
 */
export function logOutputs(outputs: KVMap): void {
  const { test } = getRunningTest('logOutputs')
  if (test.outputs !== undefined) {
    console.warn('[WARN]: New "logOutputs()" call will override output set by previous "logOutputs()" call.')
  }
  test.outputs = outputs
}
