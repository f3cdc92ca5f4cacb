import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ExampleInForm, exampleForm } from '../../../testing/example-form.ts'
import { concurrentRelationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

describe.each(concurrentRelationalEngines)('versions of datasets on %s', (_engine, open) => {
  let app: StartedApp
  let now = Date.parse('2025-03-01T10:00:00.000Z')
  const { datasets, datasetVersions: versions, examples } = contract

  beforeAll(async () => {
    app = await startApp({ relational: await open(), clock: () => now })
  })
  afterAll(() => app.close())

  let names = 0
  const aDataset = async () => (await app.call(datasets.create, { body: { name: `dataset ${++names}` } })).body.id
  const change = async (method: string, datasetId: string, form: readonly ExampleInForm[]): Promise<string> => {
    now += 1000
    const path = `/v1/platform/datasets/${datasetId}/examples`
    const answer = await app.fetch(path, { method, body: exampleForm(form) })
    const text = await answer.text()
    expect(answer.status, text).toBe(201)
    return (JSON.parse(text) as { as_of: string }).as_of
  }
  const list = async (datasetId: string, query: Record<string, string> = {}) =>
    (await app.call(versions.list, { params: { dataset_id: datasetId }, query })).body
  const read = (datasetId: string, query: Record<string, string>) =>
    app.call(versions.read, { params: { dataset_id: datasetId }, query })
  const tag = (datasetId: string, name: string, as_of: string) =>
    app.call(versions.tag, { params: { dataset_id: datasetId }, body: { tag: name, as_of } })
  const idsAt = async (datasetId: string, as_of: string) =>
    (await app.call(examples.list, { query: { dataset: datasetId, as_of, order: 'id' } })).body.map(({ id }) => id)
  const split = (datasetId: string, body: object) =>
    app.call(versions.updateSplits, { params: { dataset_id: datasetId }, body })
  const splitsOf = async (id: string) =>
    (await app.call(examples.read, { params: { example_id: id } })).body.metadata.dataset_split

  it('are created by each change, in milliseconds, also for changes within the same one', async () => {
    const id = await aDataset()
    const first = await change('POST', id, [{ id: uuid7(), inputs: {} }])
    now -= 60_000 // and also when the clock is set back
    const second = await change('POST', id, [{ id: uuid7(), inputs: {} }])

    expect(Date.parse(second) - Date.parse(first)).toBe(1)
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(await list(id)).toEqual([
      { as_of: second, tags: ['latest'] },
      { as_of: first, tags: [] },
    ])
    now += 60_000
  })

  it('are read by an inclusive instant in any notation, or by a tag', async () => {
    const id = await aDataset()
    const [one, two] = [uuid7(1), uuid7(2)]
    const first = await change('POST', id, [{ id: one, inputs: {} }])
    const second = await change('POST', id, [{ id: two, inputs: {} }])
    const justBefore = new Date(Date.parse(second) - 1).toISOString()
    await tag(id, 'git:branch:feature/x', first)

    expect(await idsAt(id, first)).toEqual([one])
    expect(await idsAt(id, justBefore)).toEqual([one])
    expect(await idsAt(id, second)).toEqual([one, two])
    expect(await idsAt(id, 'latest')).toEqual([one, two])
    expect(await idsAt(id, 'git:branch:feature/x')).toEqual([one])
    expect(await idsAt(id, '2020-01-01T00:00:00Z')).toEqual([])
    const python = second.replace('T', ' ').replace('Z', '456+00:00')
    expect((await read(id, { as_of: python })).body).toEqual({ as_of: second, tags: ['latest'] })
    expect((await read(id, { tag: 'git:branch:feature/x' })).body.as_of).toBe(first)
    const unknown = await app.call(examples.list, { query: { dataset: id, as_of: 'nonsense' } })
    expect(unknown.status).toBe(404)
    expect(unknown.text).toContain('not found')
  })

  it('respond with 404 when missing, and with 400 unless the query has exactly one of time and tag', async () => {
    const id = await aDataset()
    expect(await list(id)).toEqual([])
    expect((await read(id, { tag: 'latest' })).status).toBe(404)
    expect((await read(id, { as_of: '2030-01-01T00:00:00Z' })).status).toBe(404)
    expect((await read(id, {})).status).toBe(400)
    expect((await read(id, { tag: 'a', as_of: '2030-01-01' })).status).toBe(400)
    expect((await read(uuid7(), { tag: 'a' })).status).toBe(404)
  })

  it('start with the dataset when it is tagged before it has examples', async () => {
    const id = await aDataset()
    expect((await tag(id, 'prod', '2020-01-01T00:00:00Z')).status).toBe(404)
    expect((await tag(id, 'prod', 'no-such-tag')).status).toBe(404)
    expect(await list(id)).toEqual([])
    const created = new Date(now).toISOString()
    now += 60_000
    expect((await tag(id, 'prod', new Date(now).toISOString())).body).toEqual({
      as_of: created,
      tags: ['latest', 'prod'],
    })
    expect((await read(id, { tag: 'prod' })).body.as_of).toBe(created)
    const first = await change('POST', id, [{ id: uuid7(), inputs: {} }])
    expect(await list(id)).toEqual([
      { as_of: first, tags: ['latest'] },
      { as_of: created, tags: ['prod'] },
    ])
    expect(await idsAt(id, 'prod')).toEqual([])
  })

  it('are tagged at any later time, and a tag moves', async () => {
    const id = await aDataset()
    const first = await change('POST', id, [{ id: uuid7(), inputs: {} }])
    const second = await change('POST', id, [{ id: uuid7(), inputs: {} }])
    const later = new Date(now + 5000).toISOString()

    expect((await tag(id, 'prod', first)).body).toEqual({ as_of: first, tags: ['prod'] })
    expect((await tag(id, 'prod', later)).body).toEqual({ as_of: second, tags: ['latest', 'prod'] })
    expect((await tag(id, 'stable', 'prod')).body.as_of).toBe(second)
    expect((await list(id, { search: 'PRO' })).map(({ as_of }) => as_of)).toEqual([second])
    expect((await list(id, { search: 'lat' })).map(({ as_of }) => as_of)).toEqual([second])
    expect((await tag(id, 'latest', first)).status).toBe(400)
    expect((await tag(id, 'old', '2020-01-01T00:00:00Z')).status).toBe(404)
    expect((await tag(id, 'x'.repeat(501), first)).status).toBe(400)
    expect((await tag(id, 'a\u0000', first)).status).toBe(400)
  })

  it('differ by the added, removed and changed examples, in either direction', async () => {
    const id = await aDataset()
    const [stays, changes, goes, comes] = [uuid7(1), uuid7(2), uuid7(3), uuid7(4)]
    const from = await change(
      'POST',
      id,
      [stays, changes, goes].map((one) => ({ id: one, inputs: {} })),
    )
    await change('PATCH', id, [{ id: changes, inputs: { n: 1 } }])
    await change('PATCH', id, [{ id: changes, inputs: {} }])
    await app.call(examples.delete, { params: { example_id: goes } })
    const to = await change('POST', id, [{ id: comes, inputs: {} }])
    const brief = uuid7()
    await change('POST', id, [{ id: brief, inputs: {} }])
    await app.call(examples.delete, { params: { example_id: brief } })
    const diff = async (from_version: string, to_version: string) =>
      (await app.call(versions.diff, { params: { dataset_id: id }, query: { from_version, to_version } })).body

    const there = { examples_modified: [changes], examples_added: [comes], examples_removed: [goes] }
    expect(await diff(from, to)).toEqual(there)
    expect(await diff(from, 'latest')).toEqual(there)
    expect(await diff(to, from)).toEqual({ ...there, examples_added: [goes], examples_removed: [comes] })
    expect(await diff(to, to)).toEqual({ examples_modified: [], examples_added: [], examples_removed: [] })
    expect((await list(id, { example: goes })).map(({ as_of }) => as_of)).toContain(from)
    expect(await list(id, { example: goes })).toHaveLength(2)
  })

  it('change metadata keys of many examples at once, including their splits', async () => {
    const id = await aDataset()
    const [one, two, stranger] = [uuid7(), uuid7(), uuid7()]
    await change('POST', id, [
      { id: one, main: { metadata: { big: 1, list: ['a'], other: 'stays' } }, inputs: {} },
      { id: two, main: { split: 'train' }, inputs: {} },
    ])
    const update = (operations: object[], ids = [one, two]) =>
      app.call(examples.updateMetadata, { params: { dataset_id: id }, body: { example_ids: ids, operations } })
    const metadataOf = async (example_id: string) =>
      (await app.call(examples.read, { params: { example_id } })).body.metadata

    const added = await update(
      [
        { key: 'dataset_split', operation: 'array_add', values: ['test', 'train'] },
        { key: 'list', operation: 'ARRAY_ADD', values: ['a', 'b'] },
        { key: 'level', operation: 'SET', value: { n: 1 } },
      ],
      [one, stranger, two],
    )
    expect(added.status).toBe(207)
    expect(added.body.statuses).toEqual([
      { id: one, status: 'UPDATED' },
      { id: stranger, status: 'NOT_FOUND', description: 'Example not found' },
      { id: two, status: 'UPDATED' },
    ])
    expect(await metadataOf(one)).toEqual({
      big: 1,
      list: ['a', 'b'],
      other: 'stays',
      level: { n: 1 },
      dataset_split: ['base', 'test', 'train'],
    })
    expect(await metadataOf(two)).toEqual({ list: ['a', 'b'], level: { n: 1 }, dataset_split: ['train', 'test'] })

    await update([{ key: 'dataset_split', operation: 'array_remove', values: ['base', 'test', 'train'] }])
    expect(await splitsOf(two)).toEqual(['base'])
    expect(await list(id)).toHaveLength(3)
    await update([{ key: 'list', operation: 'array_remove', values: ['z'] }])
    expect(await list(id)).toHaveLength(3) // nothing changed, so there is no new version

    expect((await update([{ key: 'list', operation: 'array_add' }])).status).toBe(400)
    expect((await update([{ key: 'x', operation: 'rename', value: 1 }])).status).toBe(400)
    const elsewhere = await app.call(examples.updateMetadata, {
      params: { dataset_id: uuid7() },
      body: { example_ids: [one], operations: [{ key: 'x', operation: 'set', value: 1 }] },
    })
    expect([elsewhere.status, elsewhere.text.toLowerCase()]).toEqual([
      404,
      expect.stringContaining('dataset not found'),
    ])
  })

  it('contain splits, which are added, and removed down to base', async () => {
    const id = await aDataset()
    const [one, two] = [uuid7(), uuid7()]
    const before = await change('POST', id, [
      { id: one, inputs: {} },
      { id: two, main: { split: 'train' }, inputs: {} },
    ])
    now += 1000

    const added = await split(id, { split_name: 'train', examples: [one, two] })
    expect(added.body).toEqual([one])
    expect(await splitsOf(one)).toEqual(['base', 'train'])
    expect(await list(id)).toHaveLength(2)
    await split(id, { split_name: 'train', examples: [two], remove: true })
    expect(await splitsOf(two)).toEqual(['base'])
    expect((await split(id, { split_name: 'base', examples: [two], remove: true })).body).toEqual([])
    expect((await split(id, { split_name: 'x', examples: [one, uuid7()] })).status).toBe(404)
    expect(await list(id)).toHaveLength(3)
    const names = async (query: Record<string, string>) =>
      (await app.call(versions.listSplits, { params: { dataset_id: id }, query })).body
    expect(await names({})).toEqual(['base', 'train'])
    expect(await names({ as_of: before })).toEqual(['base', 'train'])
    expect(await names({ as_of: '2020-01-01' })).toEqual([])
  })

  it('are all kept for concurrent changes', async () => {
    const id = await aDataset()
    const ids = Array.from({ length: 24 }, () => uuid7())

    const made = await Promise.all(ids.map((one) => change('POST', id, [{ id: one, inputs: {} }])))

    expect(new Set(made).size).toBe(ids.length)
    expect(await list(id)).toHaveLength(ids.length)
    expect((await idsAt(id, 'latest')).sort()).toEqual([...ids].sort())
    for (const [at, version] of [...made].sort().entries()) expect(await idsAt(id, version)).toHaveLength(at + 1)
  })

  describe('restored', () => {
    const restore = (datasetId: string, body: { as_of: string; examples?: string[] }) =>
      app.call(versions.restore, { params: { dataset_id: datasetId }, body })
    const remove = (id: string) => {
      now += 1000
      return app.call(examples.delete, { params: { example_id: id } })
    }
    const contentOf = async (datasetId: string, as_of = 'latest') => {
      const { body } = await app.call(examples.list, {
        query: { dataset: datasetId, as_of, order: 'recently_created' },
      })
      return body.map(({ modified_at: _, ...example }) => example)
    }

    it('have the same examples again, deleted ones too, as one new version', async () => {
      const id = await aDataset()
      const [kept, edited, deleted, added] = [uuid7(1), uuid7(2), uuid7(3), uuid7(4)]
      const good = await change('POST', id, [
        { id: kept, inputs: { q: 'kept' } },
        { id: edited, inputs: { q: 1.5, big: 1 }, outputs: { a: 'x' }, main: { split: 'test' } },
        { id: deleted, inputs: { q: 'deleted' }, main: { metadata: { topic: 'auth' } } },
      ])
      const before = await contentOf(id, good)
      await change('PATCH', id, [{ id: edited, inputs: { q: 2 }, main: { split: 'train' } }])
      await remove(deleted)
      await change('POST', id, [{ id: added, inputs: { q: 'new' } }])

      now += 1000
      const { body } = await restore(id, { as_of: good })
      expect(body).toEqual({ as_of: new Date(now).toISOString(), added: 1, modified: 1, removed: 1 })
      expect(await contentOf(id)).toEqual(before)
      const { example_count } = (await app.call(datasets.read, { params: { dataset_id: id } })).body
      expect(example_count).toBe(3)
      expect(await list(id, { include_changes: 'true' })).toEqual([
        { as_of: body.as_of, tags: ['latest'], changes: { added: 1, modified: 1, removed: 1 } },
        expect.objectContaining({ changes: { added: 1, modified: 0, removed: 0 } }),
        expect.objectContaining({ changes: { added: 0, modified: 0, removed: 1 } }),
        expect.objectContaining({ changes: { added: 0, modified: 1, removed: 0 } }),
        { as_of: good, tags: [], changes: { added: 3, modified: 0, removed: 0 } },
      ])
    })

    it('keep what the transformations of today would remove', async () => {
      const id = await aDataset()
      const one = uuid7()
      const first = await change('POST', id, [{ id: one, inputs: { q: 1, extra: 2 } }])
      const schema = { type: 'object', properties: { q: {} }, additionalProperties: true }
      const transformations = [{ path: ['inputs'], transformation_type: 'remove_extra_fields' }]
      const body = { inputs_schema_definition: schema, transformations }
      expect((await app.call(datasets.update, { params: { dataset_id: id }, body })).status).toBe(200)
      await change('PATCH', id, [{ id: one, inputs: { q: 3 } }])
      now += 1000
      expect((await restore(id, { as_of: first })).body).toMatchObject({ modified: 1 })
      expect((await contentOf(id))[0]?.inputs).toEqual({ q: 1, extra: 2 })
      expect((await restore(id, { as_of: first })).body).toMatchObject({ added: 0, modified: 0, removed: 0 })
    })

    it('make no version when nothing differs', async () => {
      const id = await aDataset()
      const one = uuid7()
      const first = await change('POST', id, [{ id: one, inputs: { q: 1 } }])
      await change('PATCH', id, [{ id: one, inputs: { q: 2 } }])
      const latest = await change('PATCH', id, [{ id: one, inputs: { q: 1 } }])
      expect((await restore(id, { as_of: first })).body).toEqual({ as_of: latest, added: 0, modified: 0, removed: 0 })
      expect(await list(id)).toHaveLength(3)
    })

    it('undo an import: only the named examples, also to a time before the first version', async () => {
      const id = await aDataset()
      const [imported, other] = [uuid7(1), uuid7(2)]
      await change('POST', id, [{ id: imported, inputs: {} }])
      await change('POST', id, [{ id: other, inputs: {} }])
      const body = { as_of: '1990-01-01T00:00:00Z', examples: [imported, uuid7()] }
      expect((await restore(id, body)).body).toMatchObject({ added: 0, modified: 0, removed: 1 })
      expect(await idsAt(id, 'latest')).toEqual([other])
      expect((await restore(id, body)).body).toMatchObject({ removed: 0 })
      expect((await restore(id, { as_of: '1990-01-01T00:00:00Z' })).status).toBe(404)
    })

    it('are refused when the schema of today forbids an example', async () => {
      const id = await aDataset()
      const one = uuid7()
      const first = await change('POST', id, [{ id: one, inputs: { q: 1 } }])
      await change('PATCH', id, [{ id: one, inputs: { q: 'text' } }])
      const inputs_schema_definition = { type: 'object', properties: { q: { type: 'string' } } }
      const updated = await app.call(datasets.update, {
        params: { dataset_id: id },
        body: { inputs_schema_definition },
      })
      expect(updated.status).toBe(200)
      const refused = await restore(id, { as_of: first })
      expect(refused.status).toBeGreaterThanOrEqual(400)
      expect(JSON.stringify(refused.body)).toContain(one)
      expect(await list(id)).toHaveLength(2)
    })
  })
})
