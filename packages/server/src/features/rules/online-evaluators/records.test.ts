import { contract, type Evaluator, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorkspace } from '../../../testing/a-workspace.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { evaluators: routes } = contract
const CODE = { code: 'def perform_eval(run, example):\n    return {"score": 1}', dependencies: 'numpy==2.0' }

describe.each(relationalEngines(import.meta.filename))('records of evaluators on %s', (_engine, open) => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp({ relational: await open() })
  })
  afterAll(() => app.close())

  const create = (body: object | string, headers?: Record<string, string>) =>
    app.call(routes.create, { body, ...(headers && { headers }) })
  const read = (id: string) => app.call(routes.read, { params: { evaluator_id: id } })
  const update = (id: string, body: object | string) => app.call(routes.update, { params: { evaluator_id: id }, body })
  const list = async (query: Record<string, string | string[]> = {}) => (await app.call(routes.list, { query })).body
  const aCode = async (more: object = {}): Promise<Evaluator> => {
    const body = { name: `exact ${uuid7()}`, type: 'code', code_evaluator: CODE, ...more }
    return (await create(body)).body.evaluator
  }

  it('are stored as code and as prompts', async () => {
    const body = {
      name: 'exact match',
      type: 'code',
      code_evaluator: { ...CODE, code_evaluator_input: 'trajectory', workspace_secrets_keys: ['OPENAI'] },
      metadata: { team: 'search' },
    }
    const created = await create(body)
    expect([created.status, created.body.evaluator]).toEqual([
      201,
      expect.objectContaining({
        ...body,
        llm_evaluator: null,
        run_rules: [],
        feedback_keys: [],
        code_evaluator: expect.objectContaining({
          ...body.code_evaluator,
          language: 'python',
          require_attachments: false,
          evaluator_id: created.body.evaluator.id,
          evaluator_build_status: null,
        }),
      }),
    ])
    expect((await read(created.body.evaluator.id)).body).toEqual(created.body.evaluator)

    const judge = {
      prompt_repo_handle: 'judge',
      commit_hash_or_tag: 'prod',
      variable_mapping: { answer: 'output.text' },
    }
    const llm = (await create({ name: 'judge', type: 'llm', llm_evaluator: judge })).body.evaluator
    expect(llm).toMatchObject({ type: 'llm', code_evaluator: null, llm_evaluator: judge, metadata: null })
    expect((await create({ name: 'questions', type: 'decision_model' })).body.evaluator.type).toBe('decision_model')
  })

  it('keep the bytes of their metadata', async () => {
    const text = '{"z":1,"a":12345678901234567890}'
    const definition = JSON.stringify(CODE)
    const { status, text: answer } = await create(
      `{"name":"n","type":"code","code_evaluator":${definition},"metadata":${text}}`,
    )
    expect(status).toBe(201)
    expect(answer).toContain(`"metadata":${text}`)
  })

  it('are changed in part, and null clears a field', async () => {
    const { id } = await aCode({ metadata: { a: 1 } })
    const changed = (await update(id, { name: 'renamed', code_evaluator: { code_evaluator_input: 'thread' } })).body
    expect(changed.evaluator).toMatchObject({
      name: 'renamed',
      metadata: { a: 1 },
      code_evaluator: { ...CODE, code_evaluator_input: 'thread' },
    })
    const cleared = await update(id, {
      metadata: null,
      code_evaluator: { code_evaluator_input: null, dependencies: null },
    })
    expect(cleared.body.evaluator).toMatchObject({
      metadata: null,
      code_evaluator: { code: CODE.code, dependencies: null, code_evaluator_input: null },
    })
    expect((await update(id, { llm_evaluator: {} })).status).toBe(400)
    expect((await update(uuid7(), { name: 'x' })).status).toBe(404)
  })

  it.each([
    ['without a name', { name: ' ' }],
    ['of an unknown type', { type: 'oracle' }],
    ['without its definition', { code_evaluator: null }],
    ['with the definition of another type', { llm_evaluator: {} }],
    ['with NUL in its language', { code_evaluator: { ...CODE, language: 'a\u0000' } }],
    ['with too long a program', { code_evaluator: { code: 'x'.repeat(200_001) } }],
    ['with too much metadata', { metadata: { a: 'x'.repeat(70_000) } }],
    ['with metadata that is a list', { metadata: [1] }],
  ])('are rejected %s', async (_, wrong) => {
    expect((await create({ name: 'n', type: 'code', code_evaluator: CODE, ...wrong })).status).toBe(400)
  })

  it('are listed in pages, filtered by type, name and metadata', async () => {
    const word = uuid7()
    const made: Evaluator[] = []
    for (const team of ['a', 'b', 'c'])
      made.push(await aCode({ name: `${word} ${team}`, metadata: { team, of: word } }))
    await create({ name: `${word} judge`, type: 'llm', llm_evaluator: {}, metadata: { team: 'a', of: word } })

    const names = async (query: Record<string, string>) =>
      (await list({ name_contains: word, ...query })).evaluators.map(({ name }) => name.slice(word.length + 1))
    expect(await names({})).toEqual(['judge', 'c', 'b', 'a'])
    expect(await names({ type: 'code', sort_by: 'name', sort_by_desc: 'false' })).toEqual(['a', 'b', 'c'])
    expect(await names({ metadata: JSON.stringify({ team: 'a' }) })).toEqual(['judge', 'a'])
    expect(await names({ limit: '3' })).toEqual(['judge', 'c', 'b'])
    expect(await names({ limit: '3', offset: '3' })).toEqual(['a'])
    expect(await names({ limit: '3', offset: '4' })).toEqual([])
    expect((await list({ name_contains: word })).total).toBe(4)
    expect(await names({ agent_id: 'customer-support' })).toEqual([])
    expect((await app.call(routes.list, { query: { metadata: '[1]' } })).status).toBe(400)
    expect((await list({ name_contains: '\0' })).evaluators).toEqual([])
  })

  it('have no costs', async () => {
    const answer = await app.call(routes.spend, { query: { period_start: '2026-02-26' } })
    expect(answer.body).toEqual({ groups: [], period_start: '2026-02-26', period_end: '2026-03-04' })
    const bad = await app.fetch('/platform/evaluators/spend?period_start=yesterday')
    expect(bad.status).toBe(400)
  })

  it('are deleted one by one, or together with an outcome for each', async () => {
    const [one, two, three] = [await aCode(), await aCode(), await aCode()]
    const remove = (id: string) => app.call(routes.delete, { params: { evaluator_id: id } })
    expect([(await remove(one.id)).status, (await remove(one.id)).status]).toEqual([204, 404])
    const many = await app.call(routes.deleteMany, { query: { evaluator_ids: [two.id, one.id, three.id, 'no-id'] } })
    expect(many.body).toEqual({
      succeeded: [two.id, three.id],
      failed: [one.id, 'no-id'].map((id) => ({ id, error: 'Evaluator not found' })),
    })
    expect((await read(two.id)).status).toBe(404)
    expect((await app.fetch('/v1/platform/evaluators', { method: 'DELETE' })).status).toBe(400)
  })
})

describe('evaluators of a workspace', () => {
  it('are visible in it only, and changed by its members only', async () => {
    const app = await startApp()
    const [ours, theirs] = [await aWorkspace(app, 'ours'), await aWorkspace(app, 'theirs')]
    const body = { name: 'n', type: 'code', code_evaluator: CODE }
    expect((await app.call(routes.create, { body, headers: ours.readOnlyHeaders })).status).toBe(403)
    const { id } = (await app.call(routes.create, { body, headers: ours.memberHeaders })).body.evaluator
    const params = { evaluator_id: id }
    const { headers } = theirs
    expect((await app.call(routes.read, { params, headers })).status).toBe(404)
    expect((await app.call(routes.update, { params, body: { name: 'x' }, headers })).status).toBe(404)
    expect((await app.call(routes.delete, { params, headers })).status).toBe(404)
    expect((await app.call(routes.deleteMany, { query: { evaluator_ids: id }, headers })).body.succeeded).toEqual([])
    expect((await app.call(routes.list, { headers })).body).toEqual({ evaluators: [], total: 0 })
    expect((await app.call(routes.read, { params, headers: ours.readOnlyHeaders })).body.created_by).toBe('writes')
    await app.close()
  })
})
