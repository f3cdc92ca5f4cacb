import { runningTest } from './context.ts'
import type { Any, AnyMethod, TestFeedback } from './types.ts'
import { wrapEvaluator } from './wrap-evaluator.ts'

export interface JudgedValue<Value = unknown> {
  inputs: Any
  referenceOutputs: Any
  outputs: Value
}

/** What `evaluatedBy` takes: gives one result, or several whose scores are then asserted on as a list. */
export type TestEvaluator<Value = Any> = {
  evaluator(args: JudgedValue<Value>): TestFeedback | TestFeedback[] | Promise<TestFeedback | TestFeedback[]>
}['evaluator']

/** The runner's own assertions, waiting for a score. */
export type AssertedLater<Assertion> = {
  [Key in keyof Assertion]: Key extends 'not' | 'resolves' | 'rejects'
    ? AssertedLater<Assertion[Key]>
    : Assertion[Key] extends (...args: infer Args) => unknown
      ? (...args: Args) => Promise<void>
      : Assertion[Key]
}

export interface EvaluatedBy<Assertion> {
  /** Has the value judged, records the verdict, and asserts on its score: `.toBeGreaterThan(0.5)`, `.not.toBe(0)`. */
  evaluatedBy(evaluator: TestEvaluator): AssertedLater<Assertion>
}

/** A runner's `expect` whose assertions can also be made on what an evaluator thinks of the value. */
export function wrapExpect<Expect extends AnyMethod>(expect: Expect): Expect {
  return new Proxy(expect, {
    apply(target, self, args: unknown[]) {
      const assertion: Any = Reflect.apply(target, self, args)
      return Object.defineProperty(assertion, 'evaluatedBy', {
        value: (evaluator: TestEvaluator) => judged(() => scoreOf(args[0], evaluator), expect),
        configurable: true,
      })
    },
  })
}

async function scoreOf(value: unknown, evaluator: TestEvaluator): Promise<unknown> {
  const { test } = runningTest('evaluatedBy')
  const { inputs, referenceOutputs } = test
  const verdict = await wrapEvaluator(evaluator)({ inputs, referenceOutputs, outputs: value })
  return Array.isArray(verdict) ? verdict.map(({ score }) => score) : verdict.score
}

/** Collects `.not.toBe` until it is called; only then is the evaluator asked. */
function judged(score: () => Promise<unknown>, expect: AnyMethod, path: readonly (string | symbol)[] = []): Any {
  const assert = async (args: unknown[]) => {
    const value = await score()
    // `.resolves` and `.rejects` want a promise.
    const subject = path.includes('resolves') ? Promise.resolve(value) : value
    let assertion: Any = path.includes('rejects') ? expect(Promise.reject(value)) : expect(subject)
    for (const step of path.slice(0, -1)) assertion = assertion[step]
    await assertion[path.at(-1)!](...args)
  }
  return new Proxy(() => {}, {
    // Not a promise itself: an assertion without a matcher asserts nothing.
    get: (_, key) => (key === 'then' ? undefined : judged(score, expect, [...path, key])),
    apply: (_, __, args: unknown[]) => assert(args),
  })
}
