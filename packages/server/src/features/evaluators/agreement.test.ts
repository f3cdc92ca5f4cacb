import { contract, type EvaluatorAgreement, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anExperimentSet } from '../../testing/an-experiment.ts'
import { type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { savedEvaluators: routes } = contract

let app: StartedApp
let fake: FakeProvider
beforeAll(async () => {
  app = await startApp()
  fake = await startFakeProvider()
})
afterAll(async () => {
  await app.close()
  await fake.close()
})

const anEvaluator = async (definition: object) =>
  (await app.call(routes.create, { body: { name: uuid7(), definition } })).body.id
const measure = async (id: string, body: object): Promise<EvaluatorAgreement> => {
  const answer = await app.call(routes.agreement, { params: { evaluator_id: id }, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
/** An experiment with scores of people per run, and the score that `evaluate` should give in the inputs. */
const anExperiment = async (pairs: readonly (readonly [human: number | undefined, machine: unknown])[]) => {
  const set = await anExperimentSet(app, {
    examples: pairs.map(([, machine]) => ({ machine })),
    scores: { correct: [pairs.map(([human]) => human)] },
  })
  return { id: set.sessionIds[0] ?? '', runIds: set.runIds[0] ?? [], set }
}
const READS = { kind: 'javascript', source: 'const evaluate = ({ inputs }) => inputs.machine', keys: ['correct'] }

describe('agreement with people', () => {
  it('counts the pairs, with Cohen’s kappa and the rows that differ', async () => {
    const { id, runIds } = await anExperiment([
      ...Array.from({ length: 20 }, () => [1, 1] as const),
      ...Array.from({ length: 5 }, () => [1, 0] as const),
      ...Array.from({ length: 10 }, () => [0, 1] as const),
      ...Array.from({ length: 15 }, () => [0, 0] as const),
      [undefined, 1],
    ])
    const found = await measure(await anEvaluator(READS), { experiment_id: id, feedback_key: 'correct', limit: 200 })
    expect(found).toMatchObject({
      version: 1,
      evaluator_key: 'correct',
      scored_rows: 50,
      compared_rows: 50,
      failed_rows: 0,
      left_out_rows: 0,
      threshold: null,
      labels: ['0', '1'],
      matrix: [
        [15, 10],
        [5, 20],
      ],
    })
    expect(found.agreement?.value).toBeCloseTo(0.7, 10)
    expect(found.kappa?.value).toBeCloseTo(0.4, 10)
    expect(found.kappa?.interval?.low).toBeLessThan(0.4)
    expect(found.kappa?.interval?.high).toBeGreaterThan(0.4)
    // Wilson's interval of 35 in 50.
    expect(found.agreement?.interval.low).toBeCloseTo(0.5625, 3)
    expect(found.agreement?.interval.high).toBeCloseTo(0.809, 3)
    expect(found.disagreements).toHaveLength(15)
    expect(found.disagreements[0]).toMatchObject({ run_id: runIds[20], human: '1', evaluator: '0', human_score: 1 })
  })

  it('splits scores at a threshold when there are many different ones', async () => {
    const pairs = Array.from({ length: 12 }, (_, at) => [at / 12, (11 - at) / 12] as const)
    const { id } = await anExperiment(pairs)
    const evaluator = await anEvaluator(READS)
    const asked = { experiment_id: id, feedback_key: 'correct' }
    expect(await measure(evaluator, asked)).toMatchObject({
      threshold: 0.5,
      labels: ['< 0.5', '≥ 0.5'],
      matrix: [
        [0, 6],
        [6, 0],
      ],
      kappa: { value: -1 },
    })
    expect((await measure(evaluator, { ...asked, threshold: 2 })).matrix).toEqual([[12]])
  })

  it('judges one row again with an instruction in its outputs', async () => {
    const body = { name: uuid7(), kind: 'openai-chat', base_url: fake.url }
    const provider = (await app.call(contract.modelProviders.create, { body })).body.id
    const reply = (value: boolean) => JSON.stringify({ judged: { reasoning: 'Because.', value } })
    const { id, runIds } = await anExperiment([
      [1, reply(true)],
      [0, reply(false)],
    ])
    const evaluator = await anEvaluator({
      kind: 'llm_judge',
      provider_id: provider,
      model: 'fake-script',
      messages: [{ role: 'user', content: '<<<{{{reply}}}>>> {{{outputs}}}' }],
      mapping: { reply: 'inputs.machine' },
      feedback: [{ key: 'judged', type: 'boolean' }],
    })
    const asked = { experiment_id: id, feedback_key: 'correct' }
    const before = fake.heard.length
    const { injection, compared_rows } = await measure(evaluator, asked)
    const heard = fake.heard.slice(before)
    expect([heard.length, compared_rows]).toEqual([3, 2])
    expect(injection).toMatchObject({
      run_id: runIds[1],
      score: 0,
      injected_score: 0,
      is_changed: false,
      problem: null,
    })
    const injected = heard.filter(({ text }) => text.includes(injection?.text ?? ''))
    expect(injected).toEqual([heard.at(-1)])
    expect((await measure(evaluator, { ...asked, injection: false })).injection).toBeNull()
    expect((await measure(await anEvaluator(READS), asked)).injection).toBeNull()
  })

  it('runs a judge, counts failures, and leaves out what is beyond the limit', async () => {
    const base_url = fake.url
    const provider = (
      await app.call(contract.modelProviders.create, { body: { name: uuid7(), kind: 'openai-chat', base_url } })
    ).body.id
    const reply = (value: unknown) => JSON.stringify({ judged: { reasoning: 'Because.', value } })
    const { id, runIds } = await anExperiment([
      [1, reply(true)],
      [0, reply(true)],
      [1, 'no JSON'],
      [1, reply(true)],
    ])
    const evaluator = await anEvaluator({
      kind: 'llm_judge',
      provider_id: provider,
      model: 'fake-script',
      messages: [{ role: 'user', content: '<<<{{{reply}}}>>>' }],
      mapping: { reply: 'inputs.machine' },
      feedback: [{ key: 'judged', type: 'boolean' }],
    })
    const found = await measure(evaluator, { experiment_id: id, feedback_key: 'correct', limit: 3 })
    expect(found).toMatchObject({
      evaluator_key: 'judged',
      scored_rows: 4,
      compared_rows: 2,
      failed_rows: 1,
      left_out_rows: 1,
      labels: ['0', '1'],
      matrix: [
        [0, 1],
        [0, 1],
      ],
      disagreements: [{ run_id: runIds[1], human: '0', evaluator: '1', comment: 'Because.' }],
      failures: [{ run_id: runIds[2], problem: { code: 'invalid_reply' } }],
    })
  })

  it('ignores scores of models, and takes the label that most people gave', async () => {
    const { id, runIds } = await anExperiment([
      [undefined, 1],
      [undefined, 1],
    ])
    const give = (run: number, body: object) =>
      app.call(contract.feedback.create, { body: { key: 'correct', run_id: runIds[run], ...body } })
    await give(0, { score: 0, feedback_source: { type: 'model' } })
    for (const [author, score] of Object.entries({ ada: 1, bob: 0, eve: 1 })) {
      const feedback_source = { type: 'app', user_id: author }
      await give(1, { score, feedback_source })
    }
    const found = await measure(await anEvaluator(READS), { experiment_id: id, feedback_key: 'correct' })
    expect(found).toMatchObject({ scored_rows: 1, labels: ['1'], matrix: [[1]], kappa: null, agreement: { value: 1 } })
  })

  it('is empty without scores of people', async () => {
    const { id } = await anExperiment([[1, 1]])
    const found = await measure(await anEvaluator(READS), { experiment_id: id, feedback_key: 'other' })
    expect(found).toMatchObject({ scored_rows: 0, labels: [], matrix: [], agreement: null, kappa: null })
  })

  it('is refused for what does not exist', async () => {
    const evaluator = await anEvaluator(READS)
    const { id } = await anExperiment([[1, 1]])
    const ask = async (body: object) =>
      (await app.call(routes.agreement, { params: { evaluator_id: evaluator }, body })).status
    const asked = { experiment_id: id, feedback_key: 'correct' }
    expect(await ask({ ...asked, experiment_id: uuid7() })).toBe(404)
    expect(await ask({ ...asked, version: 2 })).toBe(404)
    expect(await ask({ ...asked, evaluator_key: 'unknown' })).toBe(400)
    expect(await ask({ ...asked, limit: 201 })).toBe(400)
  })
})
