import { detectRuntime } from '../runtime/runtime.ts'
import { inTestContext, testContext } from './context.ts'
import { wrapExpect } from './expect.ts'
import { logFeedback, logOutputs } from './log.ts'
import { MATCHERS } from './matchers.ts'
import { runTest } from './run-test.ts'
import { Suite } from './suite.ts'
import type {
  AnyMethod,
  DescribeMethod,
  JestlikeMethods,
  RunnerMethod,
  SuiteConfig,
  TestConfig,
  TestFunction,
  TestMethod,
  TestParams,
} from './types.ts'
import { wrapEvaluator } from './wrap-evaluator.ts'

/** Milliseconds that the end of a suite may take: it waits for everything to be delivered. */
const FINISH_TIMEOUT_MS = 60_000

/**
 * `describe`, `test` and `expect` of this integration, made of those of a test runner.
 *
 * @param runner its name; kept with datasets and experiments
 */
export function generateWrapperFromJestlikeMethods<Methods extends JestlikeMethods>(methods: Methods, runner: string) {
  const test = wrapTest(methods.test)
  return {
    describe: wrapDescribe(methods, runner),
    test,
    it: test,
    expect: wrapExpect(methods.expect as Methods['expect'] & AnyMethod),
    logFeedback,
    logOutputs,
    wrapEvaluator,
    ...MATCHERS,
  }
}

function wrapDescribe(methods: JestlikeMethods, runner: string): DescribeMethod {
  const wrap = (method: RunnerMethod | undefined, called: string) => {
    return (name: string, fn: () => unknown, config: SuiteConfig = {}): void => {
      if (typeof method !== 'function') throw new Error(`"${called}" is not supported by your test runner.`)
      refuseNesting(name)
      warnOfJsdom()
      const suite = new Suite(config.testSuiteName ?? name, config, runner)
      method(suite.name, () => {
        methods.afterAll(() => suite.finish(), FINISH_TIMEOUT_MS)
        const defined = inTestContext({ suite }, fn)
        // Vitest waits for a suite that is defined asynchronously; Jest complains of anything that is returned.
        return runner === 'vitest' ? defined : undefined
      })
    }
  }
  const { describe } = methods
  return Object.assign(wrap(describe, 'describe'), {
    only: wrap(describe.only, 'describe.only'),
    skip: wrap(describe.skip, 'describe.skip'),
    concurrent: wrap(describe.concurrent, 'describe.concurrent'),
  })
}

function refuseNesting(name: string): void {
  if (testContext() === undefined) return
  throw new Error(
    `You seem to be nesting an ls.describe block named "${name}" inside another ls.describe block.\n` +
      'This is not supported because each ls.describe block corresponds to a dataset.\n' +
      'To logically group tests, nest the native Jest or Vitest describe methods instead.',
  )
}

function warnOfJsdom(): void {
  if (detectRuntime() !== 'jsdom') return
  console.error(
    '[touchstone] You seem to be using a jsdom environment. This is not supported and you may experience unexpected ' +
      'behavior. Please set the "environment" or "testEnvironment" field in your test config file to "node".',
  )
}

function wrapTest(method: RunnerMethod): TestMethod {
  const { concurrent } = method
  return Object.assign(define(method, 'test'), {
    only: define(method.only, 'test.only'),
    skip: define(method.skip, 'test.skip'),
    concurrent: Object.assign(define(concurrent, 'test.concurrent'), {
      only: define(concurrent?.only, 'test.concurrent.only'),
      skip: define(concurrent?.skip, 'test.concurrent.skip'),
    }),
  }) as TestMethod
}

function define(method: RunnerMethod | undefined, called: string) {
  const test = (name: string, params: TestParams, fn: TestFunction, timeout?: number): void => {
    if (typeof method !== 'function') throw new Error(`"${called}" is not supported by your test runner.`)
    // Here and not in the test: runners start tests outside the context that defined them.
    const suite = testContext()?.suite
    const repetitions = params.config?.repetitions ?? 1
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const title = repetitions > 1 ? `${name}, run ${repetition}` : name
      // Jest takes a named parameter for its `done` callback, so there is none.
      const run = async (...runnerArgs: unknown[]) => {
        if (!suite) throw new Error(NO_SUITE)
        await runTest({ suite, name: title, params, fn, repetition, runnerContext: runnerArgs[0] })
      }
      method(title, run, timeout)
    }
  }
  return Object.assign(test, {
    each(table: readonly TestParams[], config?: TestConfig) {
      return (name: string, fn: TestFunction, timeout?: number) => {
        for (const [at, row] of table.entries()) {
          test(`${name}, item ${at}`, { ...row, config: { ...row.config, ...config } }, fn, timeout)
        }
      }
    },
  })
}

const NO_SUITE =
  'Could not retrieve test context.\n' +
  'Please make sure you have tracing enabled and you are wrapping all of your test cases in an "ls.describe()" function.'
