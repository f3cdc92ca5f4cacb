import {
  type Assertion,
  afterAll,
  type ExpectStatic,
  describe as vitestDescribe,
  expect as vitestExpect,
  test as vitestTest,
} from 'vitest'
import type { EvaluatedBy } from './testing/expect.ts'
import { type CloseMatchers, MATCHERS } from './testing/matchers.ts'
import type { JestlikeMethods } from './testing/types.ts'
import { generateWrapperFromJestlikeMethods } from './testing/wrap.ts'

declare module 'vitest' {
  interface Matchers<T> extends CloseMatchers {}
}

/** Vitest's `expect`, with `evaluatedBy` on every assertion. */
export interface JudgedExpect extends ExpectStatic {
  <Value>(actual: Value, message?: string): Assertion<Value> & EvaluatedBy<Assertion<number>>
}

/** Creates the integration for another copy of Vitest than the one this package resolves, as in some monorepos. */
export function wrapVitest(methods: JestlikeMethods) {
  return generateWrapperFromJestlikeMethods(methods, 'vitest')
}

vitestExpect.extend(MATCHERS)

const wrapped = wrapVitest({ describe: vitestDescribe, test: vitestTest, expect: vitestExpect, afterAll })

/** Defines a suite: the examples of its tests form a dataset of that name, and each execution becomes an experiment. */
export const describe = wrapped.describe
/** Defines a test on one example. Its return value is recorded as the outputs, its success as feedback `pass`. */
export const test = wrapped.test
export const it = wrapped.it
export const expect = wrapped.expect as unknown as JudgedExpect
export const { logFeedback, logOutputs, wrapEvaluator } = wrapped
export type * from './testing/types.ts'
