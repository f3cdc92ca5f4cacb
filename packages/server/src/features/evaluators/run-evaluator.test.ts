import { PassThrough } from 'node:stream'
import { contract, uuid7 } from '@touchstone/contract'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { readReply } from './judge.ts'

const KEY = 'sk-very-secret-0123456789-LAST'
const GOOD = { correct: { reasoning: 'It fits.', value: true } }

let app: StartedApp
let acme: AWorkspace
let other: AWorkspace
let fake: FakeProvider
let providers: Record<string, string>
let logged = ''
beforeAll(async () => {
  fake = await startFakeProvider({ key: KEY })
  const sink = new PassThrough()
  sink.on('data', (chunk) => {
    logged += chunk
  })
  app = await startApp({ log: pino({ level: 'trace' }, sink) })
  acme = await aWorkspace(app, 'acme')
  other = await aWorkspace(app, 'other')
  const kinds = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini']
  const made = kinds.map(async (kind): Promise<[string, string]> => {
    const base_url = kind === 'gemini' ? fake.geminiUrl : fake.url
    const body = { name: kind, kind, base_url, key: KEY }
    return [kind, (await app.call(contract.modelProviders.create, { body, headers: acme.headers })).body.id]
  })
  providers = Object.fromEntries(await Promise.all(made))
})
afterAll(async () => {
  await app.close()
  await fake.close()
})

const aJudge = (change: object = {}) => ({
  kind: 'llm_judge',
  provider_id: providers['openai-chat'],
  model: 'fake-script',
  messages: [{ role: 'user', content: 'Judge {{question}} <<<{{{reply}}}>>>' }],
  mapping: { question: 'inputs.question', reply: 'outputs.reply' },
  feedback: [{ key: 'correct', type: 'boolean' }],
  ...change,
})
/** A row for which the model answers with the reply. */
const aRow = (reply: unknown) => ({
  inputs: { question: 'Why?' },
  outputs: { reply: typeof reply === 'string' ? reply : JSON.stringify(reply) },
})
const preview = async (body: object, headers = acme.memberHeaders) =>
  app.call(contract.savedEvaluators.preview, { body, headers })
const judge = async (change: object, row: object = aRow(GOOD)) => {
  const answer = await preview({ definition: aJudge(change), rows: [row] })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.rows[0]!
}
const run = async (source: string, change: object = {}) => {
  const row = { inputs: { a: 1 }, outputs: { b: [2] }, reference_outputs: null }
  const definition = { kind: 'javascript', source, ...change }
  return (await preview({ definition, rows: [row] })).body.rows[0]!
}

describe('a judge', () => {
  it.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'])(
    'answers by the schema over %s',
    async (kind) => {
      const result = await judge({ provider_id: providers[kind] })
      expect(result.problem).toBeNull()
      expect(result.scores).toEqual([{ key: 'correct', score: 1, value: null, comment: 'It fits.' }])
      expect(result.usage?.prompt_tokens).toBeGreaterThan(0)
      expect(fake.heard.at(-1)?.text).toContain('"additionalProperties":false')
    },
  )

  it('shows the messages, the reply and the schema', async () => {
    const { body } = await preview({ definition: aJudge(), rows: [aRow(GOOD)] })
    const reply = JSON.stringify(GOOD)
    expect(body.rows[0]).toMatchObject({
      messages: [{ role: 'user', content: `Judge Why? <<<${reply}>>>` }],
      reply,
      row: { run_id: null, inputs: { question: 'Why?' }, reference_outputs: null },
    })
    expect(body.output_schema).toEqual({
      type: 'object',
      properties: {
        correct: {
          type: 'object',
          properties: {
            reasoning: { type: 'string', description: expect.any(String) },
            value: { type: 'boolean' },
          },
          required: ['reasoning', 'value'],
          additionalProperties: false,
        },
      },
      required: ['correct'],
      additionalProperties: false,
    })
  })

  it('renders without a call when it is asked to', async () => {
    const before = fake.heard.length
    const { body } = await preview({ definition: aJudge(), rows: [aRow(GOOD)], call_model: false })
    expect(body.rows[0]).toMatchObject({ scores: [], problem: null, reply: null, messages: [expect.anything()] })
    expect(fake.heard.length).toBe(before)
  })

  it('gives numbers, booleans and categories under several keys', async () => {
    const feedback = [
      { key: 'quality', type: 'number', min: 1, max: 5, description: 'How good it is.' },
      { key: 'safe', type: 'boolean' },
      {
        key: 'tone',
        type: 'category',
        categories: [
          { label: 'rude', value: 0 },
          { label: 'kind', value: 1 },
        ],
      },
    ]
    const reply = { quality: { value: 4.5 }, safe: { value: false }, tone: { value: 'kind' } }
    const result = await judge({ feedback, reasoning: false }, aRow(reply))
    expect(result.scores).toEqual([
      { key: 'quality', score: 4.5, value: null, comment: null },
      { key: 'safe', score: 0, value: null, comment: null },
      { key: 'tone', score: 1, value: 'kind', comment: null },
    ])
    expect(fake.heard.at(-1)?.text).toContain('"enum":["rude","kind"]')
  })

  it('is read in time that does not grow faster than its length', () => {
    const reply = `\`\`\`json${'\n'.repeat(200_000)}`
    const definition = { feedback: [{ key: 'correct', type: 'boolean' as const }], reasoning: false }
    expect(readReply(definition, reply)).toEqual({ problem: expect.stringContaining('no JSON') })
    expect(readReply(definition, `${reply}{"correct":{"value":true}}\n\`\`\`\n`)).toMatchObject({ ok: [{ score: 1 }] })
  })

  it('asks in words where the provider refuses schemas', async () => {
    const result = await judge({ model: 'fake-script-no-schema' }, aRow(`\`\`\`json\n${JSON.stringify(GOOD)}\n\`\`\``))
    expect(result.scores).toEqual([{ key: 'correct', score: 1, value: null, comment: 'It fits.' }])
    expect(fake.heard.at(-1)?.text).toMatch(/matches this JSON schema/)
    expect(fake.heard.at(-1)?.text).not.toContain('response_format')
  })

  it.each([
    ['no JSON', 'I think it is good.', /it is no JSON: I think it is good\./],
    ['a list', [], /it is a list, not an object/],
    ['no key', {}, /"correct" is missing/],
    ['a value without an object', { correct: true }, /"correct" is true, not an object with "value"/],
    ['another type', { correct: { reasoning: 'x', value: 'yes' } }, /"correct.value" is "yes", not a boolean/],
    ['no value', { correct: { reasoning: 'x' } }, /"correct.value" is missing/],
    ['no reasoning', { correct: { value: true } }, /"correct.reasoning" is missing, not a text/],
  ])('reports a reply with %s', async (_name, reply, message) => {
    const result = await judge({}, aRow(reply))
    expect(result).toMatchObject({ scores: [], problem: { code: 'invalid_reply' } })
    expect(result.problem?.message).toMatch(message)
    expect(result.reply).toBe(typeof reply === 'string' ? reply : JSON.stringify(reply))
  })

  it.each([
    ['a number out of range', { key: 'k', type: 'number', max: 3 }, 4, /"k.value" is 4, not a number from 0 to 3/],
    [
      'an unknown category',
      {
        key: 'k',
        type: 'category',
        categories: [
          { label: 'a', value: 0 },
          { label: 'b', value: 1 },
        ],
      },
      'c',
      /"k.value" is "c", not one of "a", "b"/,
    ],
  ])('reports %s', async (_name, feedback, value, message) => {
    const result = await judge({ feedback: [feedback], reasoning: false }, aRow({ k: { value } }))
    expect(result.problem?.message).toMatch(message)
  })

  it.each([
    [
      'a key',
      { mapping: { question: 'inputs.query', reply: 'outputs.reply' } },
      /"question" has no value at inputs\.query: no key "query" in inputs/,
    ],
    [
      'a whole value',
      { messages: [{ role: 'user', content: '{{reference_outputs}}' }] },
      /"reference_outputs" has no value at reference_outputs: the row has no reference_outputs/,
    ],
    [
      'a path in the template',
      { messages: [{ role: 'user', content: '{{inputs.nothing}}' }] },
      /"inputs.nothing" has no value/,
    ],
  ])('names a variable without a value: %s', async (_name, change, message) => {
    const before = fake.heard.length
    const result = await judge(change)
    expect(result).toMatchObject({ scores: [], problem: { code: 'missing_variable' } })
    expect(result.problem?.message).toMatch(message)
    expect(fake.heard.length).toBe(before)
  })

  it('reads f-strings too, and values that are no texts as JSON', async () => {
    const messages = [{ role: 'user', content: 'All of {inputs} and {{braces}} <<<{reply}>>>' }]
    const result = await judge({ messages, template_format: 'f-string', mapping: { reply: 'outputs.reply' } })
    expect(result.messages?.[0]?.content).toMatch(/^All of \{"question":"Why\?"\} and \{braces\}/)
    expect(result.problem).toBeNull()
  })

  it.each([
    ['fake-rate-limited', 'rate_limited', /limits the number of calls.*Too many requests/s],
    ['fake-overloaded', 'provider_failed', /The model is overloaded/],
    ['no-such-model', 'unknown_model', /does not know the model "no-such-model"/],
  ])('passes on the failure of the provider: %s', async (model, code, message) => {
    const result = await judge({ model })
    expect(result.problem).toMatchObject({ code: 'model', model_problem: { code } })
    expect(result.problem?.message).toMatch(message)
  })

  it('is refused without its provider, and with that of another workspace', async () => {
    const gone = await judge({ provider_id: uuid7() })
    expect(gone.problem).toMatchObject({ code: 'missing_provider', message: expect.stringMatching(/does not exist/) })
    const foreign = await preview({ definition: aJudge(), rows: [aRow(GOOD)] }, other.headers)
    expect(foreign.body.rows[0]?.problem?.code).toBe('missing_provider')
  })

  it('never shows the key of the provider', async () => {
    for (const model of ['fake-echo', 'fake-echo-error', 'fake-script']) {
      const answer = await preview({ definition: aJudge({ model }), rows: [aRow(GOOD)] })
      expect(answer.text).not.toMatch(/very-secret|0123456789/)
    }
    expect(logged).not.toMatch(/very-secret|0123456789/)
  })
})

describe('a JavaScript evaluator', () => {
  it.each([
    ['a number', 'const evaluate = ({ inputs }) => inputs.a / 2', [{ key: 'score', score: 0.5 }]],
    ['a boolean', 'const evaluate = ({ outputs }) => outputs.b.includes(2)', [{ key: 'score', score: 1 }]],
    [
      'an object',
      'const evaluate = () => ({ key: "k", score: 2, comment: "why" })',
      [{ key: 'k', score: 2, comment: 'why' }],
    ],
    ['a value', 'const evaluate = () => ({ value: "good" })', [{ key: 'score', score: null, value: 'good' }]],
    [
      'a list',
      'const evaluate = async () => [{ key: "a", score: true }, { key: "b", score: 0, value: { x: 1 } }]',
      [
        { key: 'a', score: 1 },
        { key: 'b', score: 0, value: { x: 1 } },
      ],
    ],
    [
      'the absence of a run',
      'const evaluate = ({ run, reference_outputs }) => run === reference_outputs',
      [{ score: 1 }],
    ],
  ])('gives the scores of %s', async (_name, source, scores) => {
    expect(await run(source)).toMatchObject({ scores, problem: null, messages: null })
  })

  it('repairs texts that were cut inside of an emoji', async () => {
    const { scores } = await run('const evaluate = () => ({ score: 1, value: "a\\0", comment: "🤖".slice(0, 1) })')
    expect(scores).toEqual([expect.objectContaining({ score: 1, value: 'a\ufffd', comment: '\ufffd' })])
  })

  it('uses its first key for a number, and refuses others', async () => {
    const keys = ['first', 'second']
    expect((await run('const evaluate = () => 1', { keys })).scores[0]?.key).toBe('first')
    const result = await run('const evaluate = () => ({ key: "third", score: 1 })', { keys })
    expect(result.problem).toMatchObject({
      code: 'invalid_result',
      message: 'The result has the key "third"; the keys of the evaluator are first, second.',
    })
  })

  it.each([
    ['a text', '"good"', /is "good", not a number/],
    ['null', 'null', /is null, not a number/],
    ['a score that is a text', '{ score: "1" }', /has the score "1"/],
    ['no score', '{ key: "a" }', /neither a score nor a value/],
    ['an empty key', '{ key: "", score: 1 }', /has the key ""/],
    ['a list as value', '{ value: [1] }', /cannot be stored/],
    ['a key twice', '[1, 2]', /the key "score" twice/],
    ['eleven scores', 'Array.from({ length: 11 }, (_, at) => ({ key: String(at), score: at }))', /11 scores/],
    ['a bad item', '[{ key: "a", score: 1 }, null]', /Item 1 of the result is null/],
  ])('reports a result with %s', async (_name, result, message) => {
    const { problem, scores } = await run(`const evaluate = () => (${result})`)
    expect([scores, problem?.code, problem?.message]).toEqual([[], 'invalid_result', expect.stringMatching(message)])
  })

  it('reports errors with their line, and programs that do not end', async () => {
    const thrown = await run('function evaluate() {\n  throw new Error("no luck")\n}')
    expect(thrown.problem).toEqual({
      code: 'javascript',
      message: 'Error: no luck (line 2)',
      line: 2,
      model_problem: null,
    })
    const endless = await run('function evaluate() { for (;;); }', { timeout_ms: 100 })
    expect(endless.problem).toMatchObject({ code: 'timeout', message: 'It ran longer than 100 ms.' })
    const greedy = await run('function evaluate() { const a = []; for (;;) a.push(new Array(1000).fill(1)) }', {
      timeout_ms: 5000,
    })
    expect(greedy.problem?.code).toBe('memory')
  })

  it('sees runs of its workspace with the reference outputs of their examples', async () => {
    const { headers } = acme
    const dataset = (await app.call(contract.datasets.create, { body: { name: uuid7() }, headers })).body.id
    const example = { id: uuid7(), dataset_id: dataset, inputs: { q: 1 }, outputs: { expected: 'Yes' } }
    await app.call(contract.examples.createMany, { body: [example], headers })
    const body = {
      id: uuid7(),
      name: 'target',
      run_type: 'chain',
      start_time: '2026-03-02T08:00:00Z',
      end_time: '2026-03-02T08:00:01Z',
      inputs: { q: 1 },
      outputs: { answer: 'Yes' },
      reference_example_id: example.id,
    }
    await app.call(contract.runs.create, { body, headers })
    const source = `const evaluate = ({ outputs, reference_outputs, run }) =>
      ({ score: outputs.answer === reference_outputs.expected, value: run.name, comment: String(run.latency_ms) })`
    const asked = { definition: { kind: 'javascript', source }, rows: [{ run_id: body.id }] }
    const { rows } = (await preview(asked)).body
    expect(rows[0]).toMatchObject({
      problem: null,
      scores: [{ score: 1, value: 'target', comment: '1000' }],
      row: { run_id: body.id, reference_outputs: { expected: 'Yes' } },
    })
    expect((await preview(asked, other.headers)).status).toBe(404)
  })

  it('is previewed over at most five rows', async () => {
    const definition = { kind: 'javascript', source: 'const evaluate = () => 1' }
    const rows = (count: number) => Array.from({ length: count }, () => ({}))
    expect((await preview({ definition, rows: rows(5) })).body.rows).toHaveLength(5)
    expect((await preview({ definition, rows: rows(6) })).status).toBe(400)
    expect((await preview({ definition, rows: [] })).status).toBe(400)
  })
})
