import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chatAnswer, FakeModel } from '../../../test/fake-model.ts'
import { Recorder } from '../../../test/recorder.ts'
import { Client } from '../../client.ts'
import { traceable } from '../../tracing/traceable/traceable.ts'
import type { EvaluatorArgs } from '../types.ts'
import { embeddingDistance } from './embedding-distance.ts'
import { type JudgeScale, llmAsJudge } from './llm-as-judge.ts'

let model: FakeModel
let server: Recorder
let client: Client
beforeEach(async () => {
  model = await FakeModel.start()
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(async () => {
  await model.stop()
  await server.stop()
})

const args = {
  inputs: { question: 'Capital of {outputs}?' },
  outputs: { answer: 'Paris' },
  referenceOutputs: { answer: 'Paris, France', country: 'FR' },
} as unknown as EvaluatorArgs
const at = (more: object = {}) => ({ model: 'judge-1', baseUrl: `${model.url}/`, apiKey: 'secret', ...more })

/** Runs it inside a trace, as `evaluate` does. */
async function judged<Result>(evaluator: (args: EvaluatorArgs) => Result) {
  const result = await traceable(() => evaluator(args), { name: 'outer', client, tracingEnabled: true })()
  await client.flush()
  return result
}

describe('a model as judge', () => {
  it('is given the rubric filled in, and answers in a schema', async () => {
    model.answerWith({ reasoning: 'Same city.', score: true })

    expect(await judged(llmAsJudge(at({ system: 'Be strict.', temperature: 0, extraBody: { seed: 1 } })))).toEqual({
      key: 'correctness',
      score: 1,
      comment: 'Same city.',
    })

    const [{ path, headers, body }] = model.requests as [FakeModel['requests'][number]]
    expect([path, headers.authorization]).toEqual(['/v1/chat/completions', 'Bearer secret'])
    expect(body).toMatchObject({ model: 'judge-1', temperature: 0, seed: 1, messages: [{ role: 'system' }, {}] })
    const [, boundary] = /<output-([\da-f-]{36})>/.exec(body.messages[1].content) ?? []
    expect(body.messages[1].content).toContain(
      `<input-${boundary}>\nCapital of {outputs}?\n</input-${boundary}>\n<output-${boundary}>\nParis\n</output-${boundary}>`,
    )
    expect(body.messages[1].content).toContain('{"answer":"Paris, France","country":"FR"}')
    expect(body.response_format.json_schema).toMatchObject({
      strict: true,
      schema: { required: ['reasoning', 'score'], additionalProperties: false },
    })
  })

  it('leaves a run of the model with rubric, verdict and usage', async () => {
    model.answerWith({ reasoning: 'No.', score: false })

    await judged(llmAsJudge(at({ provider: 'acme' })))

    const run = server.run('judge-1')
    expect(run).toMatchObject({ run_type: 'llm', parent_run_id: server.run('outer').id })
    expect(run.inputs.messages[0].content).toContain('Rubric:')
    expect(run.outputs).toMatchObject({ verdict: { score: false, reasoning: 'No.' } })
    expect(run.extra.metadata).toMatchObject({
      ls_provider: 'acme',
      ls_model_name: 'judge-1',
      usage_metadata: { input_tokens: 20, output_tokens: 10, total_tokens: 30, input_token_details: { cache_read: 5 } },
    })
    expect(JSON.stringify(server.runs)).not.toContain('secret')
  })

  it.each<[JudgeScale, unknown, object]>([
    [{ type: 'number', min: 1, max: 5 }, 4, { score: 4 }],
    [{ type: 'labels', labels: { good: 1, fair: 0.5 } }, 'fair', { score: 0.5, value: 'fair' }],
    [{ type: 'boolean' }, true, { score: 1 }],
  ])('scores on the scale %j', async (scale, score, expected) => {
    model.answerWith({ score })
    const judge = llmAsJudge(at({ scale, reasoning: false, key: 'k', prompt: () => [{ role: 'user', content: 'x' }] }))
    expect(await judge(args)).toEqual({ key: 'k', ...expected })
    expect(model.requests[0]!.body.messages).toEqual([{ role: 'user', content: 'x' }])
  })

  it('asks once more when the answer does not fit, and then gives up', async () => {
    const answers = [chatAnswer('I think so'), chatAnswer('```json\n{"score": true}\n```'), chatAnswer('{"score": 7}')]
    model.answer((_, earlier) => ({ body: answers[Math.min(earlier, 2)] }))

    expect(await llmAsJudge(at())(args)).toMatchObject({ score: 1 })
    await expect(llmAsJudge(at())(args)).rejects.toThrow('not in the form asked for: {"score": 7}')
    expect(model.requests).toHaveLength(4)
  })

  it('retries temporary failures, and reports the message of the provider otherwise', async () => {
    const busy = { status: 429, headers: { 'retry-after': '0.01' }, body: { error: { message: 'slow down' } } }
    model.answer((_, earlier) => (earlier < 2 ? busy : { body: chatAnswer('{"score":true}') }))
    expect(await llmAsJudge(at())(args)).toMatchObject({ score: 1 })
    expect(model.requests).toHaveLength(3)

    model.answer(() => ({ status: 400, body: { error: { message: 'no such model' } } }))
    await expect(llmAsJudge(at())(args)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('no such model'),
    })
    expect(model.requests).toHaveLength(4)

    model.answer(() => ({ status: 429, body: { error: { code: 'insufficient_quota' } } }))
    await expect(llmAsJudge(at())(args)).rejects.toThrow('insufficient_quota')
    model.answer(() => ({ status: 503, body: {} }))
    await expect(llmAsJudge(at({ maxRetries: 1 }))(args)).rejects.toThrow('[503]')
    expect(model.requests).toHaveLength(7)
  })

  it('tells a refusal', async () => {
    model.answer(() => ({ body: chatAnswer(null, { refusal: 'I will not.' }) }))
    await expect(llmAsJudge(at())(args)).rejects.toThrow('refused to judge: I will not.')
  })
})

describe('embedding distance', () => {
  const embeddings = (...vectors: number[][]) => {
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse()
    model.answer(() => ({ body: { data, usage: { prompt_tokens: 7, total_tokens: 7 } } }))
  }

  it.each([
    ['cosine', 0.6],
    ['dot', 3],
    ['euclidean', 1 / (1 + Math.sqrt(20))],
  ] as const)('by %s', async (metric, score) => {
    embeddings([1, 0], [3, 4])
    const result = await judged(embeddingDistance(at({ metric, model: 'embed-1', field: 'answer' })))
    expect(result.key).toBe('embedding_similarity')
    expect(result.score).toBeCloseTo(score, 12)
    expect(model.requests[0]).toMatchObject({ path: '/v1/embeddings', body: { input: ['Paris', 'Paris, France'] } })
  })

  it('leaves a run with usage and without the vectors', async () => {
    embeddings([1, 0], [3, 4])
    await judged(embeddingDistance(at({ field: 'answer' })))
    const run = server.run('embeddings of judge-1')
    expect(run.outputs).toEqual({ dimensions: 2, usage_metadata: expect.objectContaining({ input_tokens: 7 }) })
    expect(run.extra.metadata.usage_metadata).toMatchObject({ input_tokens: 7, total_tokens: 7 })
  })
})
