import { afterAll, describe as jestDescribe, expect as jestExpect, test as jestTest } from '@jest/globals'
import type { AssertedLater, TestEvaluator } from './testing/expect.ts'
import { type CloseMatchers, MATCHERS } from './testing/matchers.ts'
import type { JestlikeMethods } from './testing/types.ts'
import { generateWrapperFromJestlikeMethods } from './testing/wrap.ts'

type JestExpect = typeof jestExpect
type Assertion<Value> = ReturnType<typeof jestExpect<Value>> & CloseMatchers

type Judged<Value> = Assertion<Value> & { evaluatedBy(evaluator: TestEvaluator): AssertedLater<Assertion<number>> }

/**
 * Jest's `expect`, with `evaluatedBy` and the closeness matchers on every assertion. The call signature comes first so
 * that it is found.
 */
export type JudgedExpect = (<Value>(actual: Value) => Judged<Value>) & JestExpect

/** Creates the integration for another copy of Jest than the one this package resolves, as in some monorepos. */
export function wrapJest(methods: JestlikeMethods) {
  return generateWrapperFromJestlikeMethods(methods, 'jest')
}

jestExpect.extend(MATCHERS as never)

const wrapped = wrapJest({
  describe: jestDescribe as JestlikeMethods['describe'],
  test: jestTest as JestlikeMethods['test'],
  expect: jestExpect,
  afterAll: afterAll as JestlikeMethods['afterAll'],
})

/** Defines a suite: the examples of its tests form a dataset of that name, and each execution becomes an experiment. */
export const describe = wrapped.describe
/** Defines a test on one example. Its return value is recorded as the outputs, its success as feedback `pass`. */
export const test = wrapped.test
export const it = wrapped.it
export const expect = wrapped.expect as unknown as JudgedExpect
export const { logFeedback, logOutputs, wrapEvaluator } = wrapped
export type * from './testing/types.ts'
