import { contract, type EvaluatorDefinition, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { concurrentRelationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { savedEvaluators: routes } = contract

const aProgram = (source = 'const evaluate = () => 1') => ({ kind: 'javascript', source, keys: ['exact'] })
const aJudge = (change: object = {}) => ({
  kind: 'llm_judge',
  provider_id: uuid7(),
  model: 'fake-script',
  messages: [
    { role: 'system', content: 'You judge answers.' },
    { role: 'user', content: 'Question: {{question}}\nAnswer: {{outputs.answer}}' },
  ],
  mapping: { question: 'inputs.question' },
  feedback: [{ key: 'correct', type: 'boolean', description: 'Whether it is right.' }],
  ...change,
})

describe.each(concurrentRelationalEngines)('evaluators on %s', (_engine, open) => {
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  beforeAll(async () => {
    app = await startApp({ relational: await open() })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
  })
  afterAll(() => app.close())

  const create = (body: object, headers = acme.memberHeaders) => app.call(routes.create, { body, headers })
  const params = (evaluator_id: string) => ({ evaluator_id })
  const read = (id: string, headers = acme.headers) => app.call(routes.read, { params: params(id), headers })
  const update = (id: string, body: object, headers = acme.headers) =>
    app.call(routes.update, { params: params(id), body, headers })
  const remove = (id: string, headers = acme.headers) => app.call(routes.delete, { params: params(id), headers })
  const addVersion = (id: string, body: object, headers = acme.headers) =>
    app.call(routes.createVersion, { params: params(id), body, headers })
  const listVersions = (id: string, query: Record<string, string> = {}, headers = acme.headers) =>
    app.call(routes.listVersions, { params: params(id), query, headers })
  const readVersion = (id: string, version: number, headers = acme.headers) =>
    app.call(routes.readVersion, { params: { evaluator_id: id, version: String(version) }, headers })
  const anEvaluator = async (definition: object = aProgram()) =>
    (await create({ name: `e-${uuid7()}`, definition })).body

  it('are created with a first version', async () => {
    const definition = aJudge()
    const made = await create({ name: ' correctness ', description: 'Right?', definition, note: 'begin' })
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        tenant_id: acme.tenantId,
        name: 'correctness',
        description: 'Right?',
        kind: 'llm_judge',
        version: 1,
        keys: ['correct'],
      }),
    ])
    expect((await read(made.body.id)).body).toEqual(made.body)
    expect((await readVersion(made.body.id, 1)).body).toMatchObject({
      evaluator_id: made.body.id,
      version: 1,
      note: 'begin',
      definition: { ...definition, template_format: 'mustache', reasoning: true },
    })
  })

  it('keep a name and a description that others have changed since they were read', async () => {
    const { id, name } = await anEvaluator()
    expect((await update(id, { description: 'first', expected: { description: '' } })).status).toBe(200)
    const late = await update(id, { description: 'second', expected: { description: '' } })
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'description'], type: 'changed' }] })
    expect((await update(id, { name: `${name}-2`, expected: { name } })).status).toBe(200)
    expect((await update(id, { description: 'third' })).body).toMatchObject({ name: `${name}-2`, description: 'third' })
  })

  it('get versions, each based on the newest one', async () => {
    const { id } = await anEvaluator()
    const second = await addVersion(id, { definition: aProgram('const evaluate = () => 2'), expected_version: 1 })
    expect([second.status, second.body.version]).toEqual([201, 2])
    const late = await addVersion(id, { definition: aProgram('const evaluate = () => 3'), expected_version: 1 })
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('The newest version is 2, not 1')])
    const sourceOf = ({ definition }: { definition: EvaluatorDefinition }) =>
      definition.kind === 'javascript' ? definition.source : undefined
    const { versions, total } = (await listVersions(id)).body
    expect(total).toBe(2)
    expect(versions.map((one) => [one.version, sourceOf(one)])).toEqual([
      [2, 'const evaluate = () => 2'],
      [1, 'const evaluate = () => 1'],
    ])
    expect((await listVersions(id, { offset: '1' })).body.versions).toEqual([versions[1]])
    expect((await read(id)).body.version).toBe(2)
    expect((await readVersion(id, 3)).status).toBe(404)
  })

  it('let one of several versions at the same time win', async () => {
    const { id } = await anEvaluator()
    const answers = await Promise.all(
      [1, 2, 3].map((at) =>
        addVersion(id, { definition: aProgram(`const evaluate = () => ${at}`), expected_version: 1 }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect((await listVersions(id)).body.total).toBe(2)
  })

  it('keep their kind', async () => {
    const { id } = await anEvaluator()
    const answer = await addVersion(id, { definition: aJudge(), expected_version: 1 })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('of the kind javascript')])
  })

  it('are renamed to names that are free', async () => {
    const [one, two] = [await anEvaluator(), await anEvaluator()]
    expect((await update(one.id, { name: two.name })).status).toBe(409)
    expect((await create({ name: two.name, definition: aProgram() })).status).toBe(409)
    expect((await create({ name: two.name, definition: aProgram() }, other.headers)).status).toBe(201)
    const renamed = (await update(one.id, { description: 'new' })).body
    expect(renamed).toMatchObject({ name: one.name, description: 'new', version: 1 })
    expect((await update(one.id, { name: `${one.name} 2` })).body.description).toBe('new')
  })

  it('are listed by name, filtered and in pages', async () => {
    const prefix = uuid7()
    for (const name of ['b', 'A', 'c']) {
      await create({ name: `${prefix} ${name}`, definition: name === 'c' ? aJudge() : aProgram() })
    }
    const list = async (query: Record<string, string>) => {
      const { evaluators, total } = (await app.call(routes.list, { query, headers: acme.headers })).body
      return [evaluators.map(({ name }) => name.slice(prefix.length + 1)), total]
    }
    expect(await list({ search: prefix })).toEqual([['A', 'b', 'c'], 3])
    expect(await list({ search: prefix, kind: 'llm_judge' })).toEqual([['c'], 1])
    expect(await list({ search: prefix, offset: '1', limit: '1' })).toEqual([['b'], 3])
    expect(await list({ search: '100%' })).toEqual([[], 0])
  })

  it('are deleted with their versions', async () => {
    const { id } = await anEvaluator()
    expect((await remove(id)).status).toBe(204)
    expect((await read(id)).status).toBe(404)
    expect((await readVersion(id, 1)).status).toBe(404)
    expect((await remove(id)).status).toBe(404)
  })

  it('belong to their workspace', async () => {
    const { id } = await anEvaluator()
    const body = { experiment_id: uuid7(), feedback_key: 'x' }
    const foreign = [
      await read(id, other.headers),
      await update(id, { name: 'mine' }, other.headers),
      await remove(id, other.headers),
      await listVersions(id, {}, other.headers),
      await readVersion(id, 1, other.headers),
      await addVersion(id, { definition: aProgram(), expected_version: 1 }, other.headers),
      await app.call(routes.agreement, { params: params(id), body, headers: other.headers }),
    ]
    expect(foreign.map(({ status }) => status)).toEqual(foreign.map(() => 404))
    expect((await read(id)).body.version).toBe(1)
  })

  it('are read by all and changed by members', async () => {
    const { id } = await anEvaluator()
    const headers = acme.readOnlyHeaders
    expect((await read(id, headers)).status).toBe(200)
    const refused = [
      await create({ name: 'no', definition: aProgram() }, headers),
      await update(id, { name: 'no' }, headers),
      await remove(id, headers),
      await addVersion(id, { definition: aProgram(), expected_version: 1 }, headers),
      await app.call(routes.preview, { body: { definition: aProgram(), rows: [{}] }, headers }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
  })

  it('render the rows of a preview with the steps of one request', async () => {
    const definition = aJudge({
      messages: [{ role: 'user', content: '{{#list}}{{#list}}{{/list}}{{/list}}' }],
      mapping: { list: 'inputs.list' },
    })
    // Each row takes more than a quarter of the steps.
    const row = { inputs: { list: Array(1_600).fill(1) } }
    const body = { definition, rows: Array(5).fill(row), call_model: false }
    const preview = await app.call(routes.preview, { body, headers: acme.memberHeaders })
    const message = 'In the user message: The templates of this request take more than 10000000 steps.'
    const refused = { code: 'template', message }
    expect(preview.body.rows).toMatchObject([null, null, null, refused, refused].map((problem) => ({ problem })))
  })

  it.each([
    ['an empty source', aProgram(''), /is empty|expected/],
    ['a source over the limit', aProgram('x'.repeat(200_001)), /200000/],
    ['a key twice', { ...aProgram(), keys: ['a', 'a'] }, /key twice/],
    ['more time than allowed', { ...aProgram(), timeout_ms: 5001 }, /5000/],
    ['another kind', { ...aProgram(), kind: 'python' }, /kind/],
    ['no messages', aJudge({ messages: [] }), /messages/],
    ['no keys', aJudge({ feedback: [] }), /feedback/],
    ['a variable without a path', aJudge({ mapping: {} }), /no path for the variable \\"question\\"/],
    ['a path elsewhere', aJudge({ mapping: { question: 'env.HOME' } }), /no path such as/],
    ['categories without a list', aJudge({ feedback: [{ key: 'a', type: 'category' }] }), /required for a category/],
    ['bounds the wrong way', aJudge({ feedback: [{ key: 'a', type: 'number', min: 2 }] }), /not greater than min/],
    [
      'eleven keys',
      aJudge({ feedback: Array.from({ length: 11 }, (_, at) => ({ key: `${at}`, type: 'boolean' })) }),
      /10/,
    ],
    ['NUL in the name of its model', aJudge({ model: 'a\0' }), /NUL/],
  ])('are refused with %s', async (_name, definition, message) => {
    const answer = await create({ name: 'refused', definition })
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(message)])
  })
})
