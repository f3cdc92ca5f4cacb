import { runInContext } from '../tracing/context.ts'
import { createSilentRunTree, type RunTree, type RunTreeConfig } from '../tracing/run-tree.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { ROOT } from '../tracing/traceable/types.ts'
import { getRunningTest, logFeedback } from './context.ts'
import type { Any, AnyMethod, TestFeedback } from './types.ts'

export interface EvaluatedValue<Value = unknown> {
  inputs: Any
  referenceOutputs: Any
  outputs: Value
}

/** Argument of `evaluatedBy`: returns one result, or several, whose scores are then asserted as a list. */
export type TestEvaluator<Value = Any> = {
  evaluator(args: EvaluatedValue<Value>): TestFeedback | TestFeedback[] | Promise<TestFeedback | TestFeedback[]>
}['evaluator']

/** The runner's own assertions, which wait for a score. */
export type AssertedLater<Assertion> = {
  [Key in keyof Assertion]: Key extends 'not' | 'resolves' | 'rejects'
    ? AssertedLater<Assertion[Key]>
    : Assertion[Key] extends (...args: infer Args) => unknown
      ? (...args: Args) => Promise<void>
      : Assertion[Key]
}

export interface EvaluatedBy<Assertion> {
  /** Evaluates the value, records the result, and asserts its score: `.toBeGreaterThan(0.5)`, `.not.toBe(0)`. */
  evaluatedBy(evaluator: TestEvaluator): AssertedLater<Assertion>
}

/** Extends a runner's `expect` by `evaluatedBy`, which asserts the score of an evaluator. */
export function wrapExpect<Expect extends AnyMethod>(expect: Expect): Expect {
  return new Proxy(expect, {
    apply(target, self, args: unknown[]) {
      const assertion: Any = Reflect.apply(target, self, args)
      return Object.defineProperty(assertion, 'evaluatedBy', {
        value: (evaluator: TestEvaluator) => createLaterAssertion(() => evaluateScore(args[0], evaluator), expect),
        configurable: true,
      })
    },
  })
}

async function evaluateScore(value: unknown, evaluator: TestEvaluator): Promise<unknown> {
  const { test } = getRunningTest('evaluatedBy')
  const { inputs, referenceOutputs } = test
  const result = await wrapEvaluator(evaluator)({ inputs, referenceOutputs, outputs: value })
  return Array.isArray(result) ? result.map(({ score }) => score) : result.score
}

/** Collects steps such as `.not.toBe` until the final call, which runs the evaluator. */
function createLaterAssertion(
  score: () => Promise<unknown>,
  expect: AnyMethod,
  path: readonly (string | symbol)[] = [],
): Any {
  const assert = async (args: unknown[]) => {
    const value = await score()
    // `.resolves` and `.rejects` need a promise.
    const subject = path.includes('resolves') ? Promise.resolve(value) : value
    let assertion: Any = path.includes('rejects') ? expect(Promise.reject(value)) : expect(subject)
    const [matcher = '', ...steps] = path.toReversed()
    for (const step of steps.toReversed()) assertion = assertion[step]
    await assertion[matcher](...args)
  }
  return new Proxy(() => {}, {
    // Not a promise itself: an assertion without a matcher asserts nothing.
    get: (_, key) => (key === 'then' ? undefined : createLaterAssertion(score, expect, [...path, key])),
    apply: (_, __, args: unknown[]) => assert(args),
  })
}

/**
 * Wraps an evaluator so that it records its own run in the project `evaluators`, and its results with a key become
 * feedback of the running test.
 */
export function wrapEvaluator<Input, Result>(
  evaluator: (input: Input) => Result | Promise<Result>,
): (input: Input, config?: Partial<RunTreeConfig> & { runId?: string | undefined }) => Promise<Result> {
  return async (input, { runId, ...config } = {}) => {
    const { suite, test } = getRunningTest('evaluator')
    if (!test.runTree) {
      const result = await runInContext(createSilentRunTree(), () => evaluator(input))
      logResults(result, undefined)
      return result
    }
    let sourceRunId: string | undefined
    const traced = traceable(
      async (runTree: RunTree, evaluatorInput: Input) => {
        sourceRunId = runTree.id
        return await evaluator(evaluatorInput)
      },
      {
        name: evaluator.name || 'evaluator',
        project_name: 'evaluators',
        reference_example_id: test.exampleId,
        tracingEnabled: true,
        ...config,
        ...(runId !== undefined && { id: runId }),
        client: suite.client,
      },
    ) as (root: ROOT, evaluatorInput: Input) => Promise<Any>
    const result: Result = await traced(ROOT, input)
    logResults(result, sourceRunId)
    return result
  }
}

function logResults(result: unknown, sourceRunId: string | undefined): void {
  for (const item of [result].flat()) if (isFeedback(item)) logFeedback(item, { sourceRunId })
}

function isFeedback(value: unknown): value is TestFeedback {
  return (
    typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string' && 'score' in value
  )
}
