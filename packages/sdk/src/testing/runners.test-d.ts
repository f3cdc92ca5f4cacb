import type * as jest from '../jest.ts'
import type * as vitest from '../vitest.ts'

/** Fails to compile if a suite of either runner would. */
export function suites(ls: typeof vitest, of: typeof jest) {
  const polite = ({ outputs }: { outputs: { answer: string } }) => ({ key: 'polite', score: outputs.answer.length })
  for (const { describe, test, it, expect, logFeedback, logOutputs, wrapEvaluator } of [ls, of] as (typeof vitest)[]) {
    describe('suite', () => {
      test(
        'typed by what is given',
        { inputs: { question: 'x' }, referenceOutputs: { answer: 'y' }, split: ['a', 'b'], config: { repetitions: 2 } },
        async ({ inputs, referenceOutputs, testMetadata }) => {
          inputs.question.toUpperCase()
          testMetadata.exampleId?.toUpperCase()
          logOutputs({ answer: referenceOutputs.answer })
          logFeedback({ key: 'k', score: 1 }, { sourceRunId: 'x' })
          const judged: { key: string; score: number } = await wrapEvaluator(polite)({ outputs: { answer: 'x' } })
          await expect({ answer: 'x' }).evaluatedBy(polite).toBeGreaterThan(judged.score)
          await expect({ answer: 'x' }).evaluatedBy(polite).not.toBe(3)
          expect(inputs.question).toBe('x')
          await expect('a').toBeRelativeCloseTo('b', { threshold: 0.5 })
          await expect('a').not.toBeAbsoluteCloseTo('b')
          return { answer: 'x' }
        },
        1000,
      )
      it.concurrent.skip.each([{ inputs: { n: 1 } }])('each', ({ inputs }) => inputs.n.toFixed())
    })
  }
  jestOnly(of)
}

function jestOnly({ expect }: typeof jest) {
  return expect('a')
    .evaluatedBy(() => ({ key: 'k', score: 1 }))
    .not.toBeGreaterThan(2)
}
