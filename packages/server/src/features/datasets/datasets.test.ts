import { contract, MISSING, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleForm } from '../../testing/example-form.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

describe.each(relationalEngines(import.meta.filename))('datasets on %s', (_engine, open) => {
  let app: StartedApp
  const { datasets, examples, projects } = contract

  beforeAll(async () => {
    app = await startApp({ relational: await open() })
  })
  afterAll(() => app.close())

  const create = (body: unknown) => app.call(datasets.create, { body })
  const read = (id: string) => app.call(datasets.read, { params: { dataset_id: id } })
  const change = (id: string, body: unknown) => app.call(datasets.update, { params: { dataset_id: id }, body })
  const names = async (query: Record<string, string | string[]>) => {
    const answer = await app.call(datasets.list, { query })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.map(({ name }) => name)
  }

  it('are returned with their original schemas and metadata', async () => {
    const schema = '{"type": "object", "maximum": 1.0, "x-big": 12345678901234567890}'
    const made = await create(
      `{"name":"verbatim","description":"d","inputs_schema_definition":${schema},"transformations":null,` +
        '"extra":{"source":"sdk","metadata":{"b": 1.0, "a": 2}},"num_examples":5}',
    )

    expect(made.status, made.text).toBe(200)
    expect(made.text).toContain(`"inputs_schema_definition":${schema}`)
    expect(made.text).toContain('"metadata":{"b": 1.0, "a": 2}')
    expect((await read(made.body.id)).text).toBe(made.text)
    expect(made.body).toMatchObject({
      name: 'verbatim',
      description: 'd',
      data_type: 'kv',
      outputs_schema_definition: null,
      externally_managed: false,
      example_count: 0,
      session_count: 0,
      last_session_start_time: null,
      last_session_id: null,
    })
  })

  it('have a unique name and id', async () => {
    const { body } = await create({ name: 'taken' })
    const sameName = await create({ name: 'taken' })
    const sameId = await create({ name: 'another', id: body.id.toUpperCase() })
    const renamed = await change((await create({ name: 'free' })).body.id, { name: 'taken' })

    for (const answer of [sameName, sameId, renamed]) {
      expect(answer.status).toBe(409)
      expect(answer.text).toContain('already exists')
    }
    expect((await create({ name: 'Taken' })).status).toBe(200)
  })

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: 'x'.repeat(10_240) }],
    [{ name: 'a', data_type: 'other' }],
    [{ name: 'a', inputs_schema_definition: { type: 'nonsense' } }],
    [{ name: 'a', inputs_schema_definition: [] }],
    [{ name: 'a', transformations: [{ path: ['inputs'], transformation_type: 'nonsense' }] }],
  ])('are rejected as %j', async (body) => {
    expect((await create(body)).status).toBe(400)
  })

  it('are found by name, part of a name, id, metadata and type', async () => {
    const { body: one } = await create({ name: 'find/One_1', metadata: { team: 'qa', deep: { level: 2 } } })
    await create({ name: 'find/two', data_type: 'chat', extra: { metadata: { team: 'dev' } } })

    expect(await names({ name: 'find/One_1' })).toEqual(['find/One_1'])
    expect(await names({ name: 'find/one_1' })).toEqual([])
    expect(await names({ name_contains: 'FIND/', sort_by: 'name', sort_by_desc: 'False' })).toEqual([
      'find/One_1',
      'find/two',
    ])
    expect(await names({ name_contains: 'One_' })).toEqual(['find/One_1'])
    expect(await names({ name_contains: 'O%e' })).toEqual([])
    expect(await names({ id: [one.id, uuid7()] })).toEqual(['find/One_1'])
    expect(await names({ metadata: '{"deep":{"level":2}}' })).toEqual(['find/One_1'])
    expect(await names({ metadata: '{"team":"dev"}' })).toEqual(['find/two'])
    expect(await names({ name_contains: 'find/', data_type: ['chat', 'llm'] })).toEqual(['find/two'])
    expect((await app.call(datasets.list, { query: { metadata: '[' } })).status).toBe(400)
    const [bare] = (await app.call(datasets.list, { query: { id: one.id, exclude: 'example_count' } })).body
    expect(bare!.example_count).toBeNull()
  })

  it('are sorted by their newest experiment, with those without at the end', async () => {
    const made: { id: string }[] = []
    for (const name of ['sort/a', 'sort/b', 'sort/c']) made.push((await create({ name })).body)
    const experiment = (at: number, name: string, start_time: string) =>
      app.call(projects.create, { body: { name, start_time, reference_dataset_id: made[at]!.id } })
    await experiment(0, 'sort 1', '2025-01-01T00:00:00Z')
    await experiment(1, 'sort 2', '2025-01-02T00:00:00Z')
    const newest = (await experiment(0, 'sort 3', '2025-01-03T00:00:00Z')).body.id

    expect(await names({ name_contains: 'sort/' })).toEqual(['sort/a', 'sort/b', 'sort/c'])
    expect(await names({ name_contains: 'sort/', sort_by_desc: 'false' })).toEqual(['sort/b', 'sort/a', 'sort/c'])
    expect(await names({ name_contains: 'sort/', sort_by: 'session_count', sort_by_desc: 'true' })).toEqual([
      'sort/a',
      'sort/b',
      'sort/c',
    ])
    expect(await names({ name_contains: 'sort/', limit: '1', offset: '1' })).toEqual(['sort/b'])
    expect((await read(made[0]!.id)).body).toMatchObject({
      session_count: 2,
      last_session_start_time: '2025-01-03T00:00:00.000000Z',
      last_session_id: newest,
    })
  })

  it('refuse a change of a value that was changed since it was read', async () => {
    const schema = { type: 'object', properties: { q: { type: 'string' } } }
    const { body } = await app.call(datasets.create, { body: { name: 'expected', inputs_schema_definition: schema } })
    const expected = { name: 'expected', description: '', inputs_schema_definition: schema, metadata: null }
    expect((await change(body.id, { description: 'first', expected })).status).toBe(200)
    const late = await change(body.id, { metadata: { a: 1 }, expected })
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'description'], type: 'changed' }] })
    expect((await change(body.id, { metadata: { a: 1 }, expected: { metadata: null } })).status).toBe(200)
    expect((await change(body.id, { description: 'third' })).status).toBe(200)
  })

  it('change given fields; null clears, absent fields and the sentinel keep', async () => {
    const { body: made } = await create({
      name: 'patch me',
      description: 'd',
      inputs_schema_definition: { type: 'object' },
      metadata: { a: 1 },
    })

    const first = await change(made.id, {
      description: null,
      metadata: { b: 2 },
      inputs_schema_definition: MISSING,
      outputs_schema_definition: MISSING,
    })
    const second = await change(made.id, { inputs_schema_definition: null, metadata: null })

    expect(first.body).toMatchObject({
      name: 'patch me',
      description: null,
      metadata: { b: 2 },
      inputs_schema_definition: { type: 'object' },
    })
    expect(second.body).toMatchObject({ inputs_schema_definition: null, metadata: null })
    expect((await change(made.id, { name: null })).status).toBe(400)
    expect((await change(uuid7(), { name: 'x' })).status).toBe(404)
  })

  it('accept a new schema only when every example fits, optionally after patches', async () => {
    const { body: dataset } = await create({ name: 'schema later' })
    const [fits, other] = [uuid7(), uuid7()]
    await app.fetch(`/v1/platform/datasets/${dataset.id}/examples`, {
      method: 'POST',
      body: exampleForm([
        { id: fits, inputs: { n: 1 } },
        { id: other, inputs: { m: 1 } },
      ]),
    })
    const schema = { type: 'object', required: ['n'] }

    const refused = await change(dataset.id, { inputs_schema_definition: schema })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(other)
    expect((await read(dataset.id)).body.inputs_schema_definition).toBeNull()

    const patched = await change(dataset.id, {
      inputs_schema_definition: schema,
      patch_examples: { [other]: { inputs: { n: 2 } } },
    })
    expect(patched.status, patched.text).toBe(200)
    const found = await app.call(examples.read, { params: { example_id: other } })
    expect(found.body.inputs).toEqual({ n: 2 })
  })

  it('are deleted with their examples; their experiments remain', async () => {
    const { body: dataset } = await create({ name: 'short-lived' })
    const experiment = await app.call(projects.create, {
      body: { name: 'experiment that stays', reference_dataset_id: dataset.id },
    })
    const { body: example } = await app.call(examples.create, { body: { dataset_id: dataset.id, inputs: {} } })

    const answer = await app.call(datasets.delete, { params: { dataset_id: dataset.id } })

    expect(answer).toMatchObject({ status: 200, text: 'null' })
    expect((await read(dataset.id)).text).toContain('not found')
    expect((await app.call(examples.read, { params: { example_id: example.id } })).status).toBe(404)
    expect((await app.call(datasets.delete, { params: { dataset_id: dataset.id } })).status).toBe(404)
    const project = await app.call(projects.read, { params: { session_id: experiment.body.id } })
    expect(project.body).toMatchObject({ reference_dataset_id: null })
    expect((await create({ name: 'short-lived' })).status).toBe(200)
  })

  it('are deleted during an upload to them', async () => {
    const { body: dataset } = await create({ name: 'busy' })
    const upload = async (id: string) => {
      const path = `/v1/platform/datasets/${dataset.id}/examples`
      return (await app.fetch(path, { method: 'POST', body: exampleForm([{ id, inputs: {} }]) })).status
    }
    const ids = Array.from({ length: 20 }, () => uuid7())

    const uploads = ids.map(upload)
    await app.call(datasets.delete, { params: { dataset_id: dataset.id } })

    for (const status of await Promise.all(uploads)) expect([201, 404]).toContain(status)
    const { body: other } = await create({ name: 'idle' })
    const again = await app.call(examples.createMany, {
      body: ids.map((id) => ({ id, dataset_id: other.id, inputs: {} })),
    })
    expect(again.status, again.text).toBe(200) // no id is held by a dataset that is gone
  })

  it('are deleted several at a time, all or none', async () => {
    const ids: string[] = []
    for (const name of ['bulk 1', 'bulk 2']) ids.push((await create({ name })).body.id)
    const remove = (dataset_ids: string[]) => app.call(datasets.deleteMany, { query: { dataset_ids } })

    expect((await remove([...ids, uuid7()])).status).toBe(404)
    expect(await names({ id: ids })).toHaveLength(2)
    expect((await remove(ids)).status).toBe(200)
    expect(await names({ id: ids })).toEqual([])
    expect((await remove([])).status).toBe(400)
  })
})
