import { detectRuntime } from '../runtime/runtime.ts'
import { findTestContext, logFeedback, logOutputs, runInTestContext } from './context.ts'
import { wrapEvaluator, wrapExpect } from './expect.ts'
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

/** Time limit for the end of a suite, which waits for all deliveries. */
const FINISH_TIMEOUT_MS = 60_000

/**
 * Creates `describe`, `test` and `expect` of this integration from the functions of a test runner.
 *
 * @param runner its name; stored with datasets and experiments
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
  const wrap = (method: RunnerMethod | undefined, methodName: string) => {
    return (name: string, fn: () => unknown, config: SuiteConfig = {}): void => {
      if (typeof method !== 'function') throw new Error(`"${methodName}" is not supported by your test runner.`)
      assertNotNested(name)
      warnAboutJsdom()
      const suite = new Suite(config.testSuiteName ?? name, config, runner)
      method(suite.name, () => {
        methods.afterAll(() => suite.finish(), FINISH_TIMEOUT_MS)
        const defined = runInTestContext({ suite }, fn)
        // Vitest awaits suites that are defined asynchronously; Jest complains about any returned value.
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

function assertNotNested(name: string): void {
  if (findTestContext() === undefined) return
  throw new Error(
    `You seem to be nesting an ls.describe block named "${name}" inside another ls.describe block.\n` +
      'This is not supported because each ls.describe block corresponds to a dataset.\n' +
      'To logically group tests, nest the native Jest or Vitest describe methods instead.',
  )
}

function warnAboutJsdom(): void {
  if (detectRuntime() !== 'jsdom') return
  console.error(
    '[touchstone] You seem to be using a jsdom environment. This is not supported and you may experience unexpected ' +
      'behavior. Please set the "environment" or "testEnvironment" field in your test config file to "node".',
  )
}

function wrapTest(method: RunnerMethod): TestMethod {
  const { concurrent } = method
  return Object.assign(wrapTestMethod(method, 'test'), {
    only: wrapTestMethod(method.only, 'test.only'),
    skip: wrapTestMethod(method.skip, 'test.skip'),
    concurrent: Object.assign(wrapTestMethod(concurrent, 'test.concurrent'), {
      only: wrapTestMethod(concurrent?.only, 'test.concurrent.only'),
      skip: wrapTestMethod(concurrent?.skip, 'test.concurrent.skip'),
    }),
  }) as TestMethod
}

function wrapTestMethod(method: RunnerMethod | undefined, methodName: string) {
  const test = (name: string, params: TestParams, fn: TestFunction, timeout?: number): void => {
    if (typeof method !== 'function') throw new Error(`"${methodName}" is not supported by your test runner.`)
    // Read here and not in the test: runners start tests outside the context that defined them.
    const suite = findTestContext()?.suite
    const repetitions = params.config?.repetitions ?? 1
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const title = repetitions > 1 ? `${name}, run ${repetition}` : name
      // Jest passes its `done` callback to functions with a named parameter, so there is none.
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
        for (const [index, row] of table.entries()) {
          test(`${name}, item ${index}`, { ...row, config: { ...row.config, ...config } }, fn, timeout)
        }
      }
    },
  })
}

const NO_SUITE =
  'Could not retrieve test context.\n' +
  'Please make sure you have tracing enabled and you are wrapping all of your test cases in an "ls.describe()" function.'
