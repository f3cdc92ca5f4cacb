import { describe, expect, it } from 'vitest'
import type { Example, Run } from '../schemas.ts'
import { type GradingFunctionParams, StringEvaluator } from './string-evaluator.ts'

const run = { inputs: { input: 'i', q: 'question' }, outputs: { output: 'o', a: 'answer' } } as unknown as Run
const example = { outputs: { output: 'r', b: 'reference' } } as unknown as Example
const same = ({ prediction, answer }: GradingFunctionParams) => ({ score: prediction === answer })

describe('a string evaluator', () => {
  it.each([
    [{}, { input: 'i', prediction: 'o', answer: 'r' }],
    [
      { inputKey: 'q', predictionKey: 'a', answerKey: 'b' },
      { input: 'question', prediction: 'answer', answer: 'reference' },
    ],
    [{ answerKey: null }, { input: 'i', prediction: 'o', answer: null }],
  ])('with keys %j grades those members', async (keys, expected) => {
    const seen: unknown[] = []
    const gradingFunction = (params: GradingFunctionParams) => ({ key: 'k', score: seen.push(params) })
    await new StringEvaluator({ ...keys, gradingFunction }).evaluateRun(run, example)
    expect(seen).toEqual([expected])
  })

  it('names its result, unless the grade does', async () => {
    const named = new StringEvaluator({ evaluationName: 'same', gradingFunction: same })
    expect(await named.evaluateRun(run, example)).toMatchObject({ key: 'same', score: false })
    const other = new StringEvaluator({
      evaluationName: 'same',
      gradingFunction: async () => ({ key: 'k', value: 'v' }),
    })
    expect(await other.evaluateRun(run, example)).toMatchObject({ key: 'k', value: 'v' })
  })

  it('needs outputs and a name', async () => {
    const nameless = new StringEvaluator({ gradingFunction: same })
    await expect(nameless.evaluateRun(run, example)).rejects.toThrow('Evaluation name cannot be undefined.')
    const { outputs: _, ...failed } = run
    await expect(nameless.evaluateRun(failed as Run)).rejects.toThrow('Run outputs cannot be undefined.')
  })
})
