import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ExampleInForm, exampleForm } from '../../../testing/example-form.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

describe.each(relationalEngines(import.meta.filename))('examples on %s', (_engine, open) => {
  let app: StartedApp
  const { datasets, datasetVersions, examples } = contract

  beforeAll(async () => {
    app = await startApp({ relational: await open() })
  })
  afterAll(() => app.close())

  let names = 0
  const aDataset = async (more: object = {}) => {
    const answer = await app.call(datasets.create, { body: { name: `dataset ${++names}`, ...more } })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const send = async (method: string, path: string, form: readonly ExampleInForm[]) => {
    const answer = await app.fetch(`/v1/platform${path}`, { method, body: exampleForm(form) })
    const text = await answer.text()
    return { status: answer.status, text, body: JSON.parse(text) }
  }
  const upload = (datasetId: string, form: readonly ExampleInForm[]) =>
    send('POST', `/datasets/${datasetId}/examples`, form)
  const patch = (datasetId: string, form: readonly ExampleInForm[]) =>
    send('PATCH', `/datasets/${datasetId}/examples`, form)
  const list = async (query: Record<string, string | string[]>) => {
    const answer = await app.call(examples.list, { query })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const read = async (id: string, query: Record<string, string> = {}) =>
    app.call(examples.read, { params: { example_id: id }, query })
  const versionsOf = async (datasetId: string) =>
    (await app.call(datasetVersions.list, { params: { dataset_id: datasetId } })).body

  describe('created by multipart', () => {
    it('are returned with their original payloads, in one version', async () => {
      const dataset = await aDataset()
      const [one, two] = [uuid7(), uuid7()]

      const answer = await upload(dataset.id, [
        {
          id: one,
          main: '{"split":"train","metadata":{"level":9007199254740993,"b":1},"created_at":"2025-03-01T10:05:12.345678Z"}',
          inputs: '{"z": 1.0, "a": 12345678901234567890, "__proto__": {"x": "\\u0000"}}',
          outputs: '{"answer": "Paris"}',
        },
        { id: two, inputs: {} },
      ])

      expect(answer).toMatchObject({ status: 201, body: { count: 2, example_ids: [one, two] } })
      const found = await read(one)
      expect(found.text).toContain('"inputs":{"z": 1.0, "a": 12345678901234567890, "__proto__": {"x": "\\u0000"}}')
      expect(found.text).toContain('"metadata":{"level":9007199254740993,"b":1,"dataset_split":["train"]}')
      expect(found.body).toMatchObject({
        dataset_id: dataset.id,
        name: `#0001 @ ${dataset.name}`,
        outputs: { answer: 'Paris' },
        created_at: '2025-03-01T10:05:12.345678Z',
        modified_at: answer.body.as_of,
        source_run_id: null,
        attachment_urls: {},
      })
      expect((await read(two)).body).toMatchObject({ outputs: null, metadata: { dataset_split: ['base'] } })
      expect(await versionsOf(dataset.id)).toEqual([{ as_of: answer.body.as_of, tags: ['latest'] }])
      const counted = await app.call(datasets.read, { params: { dataset_id: dataset.id } })
      expect(counted.body).toMatchObject({ example_count: 2 })
    })

    it('accept an empty list', async () => {
      const dataset = await aDataset()
      expect(await upload(dataset.id, [])).toMatchObject({ status: 201, body: { count: 0, example_ids: [] } })
      expect(await versionsOf(dataset.id)).toEqual([])
    })

    it('are stored all or none, with every invalid one reported', async () => {
      const dataset = await aDataset({
        inputs_schema_definition: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      })
      const [good, missing, wrong] = [uuid7(), uuid7(), uuid7()]

      const answer = await upload(dataset.id, [
        { id: good, inputs: { n: 1 } },
        { id: missing, inputs: {} },
        { id: wrong, inputs: { n: 'one' } },
      ])

      expect(answer.status).toBe(400)
      expect(answer.text).toContain(missing)
      expect(answer.body.detail).toContainEqual(
        expect.objectContaining({ loc: ['examples', wrong, 'inputs', 'n'], msg: expect.stringContaining('integer') }),
      )
      expect((await read(good)).status).toBe(404)
      expect(await versionsOf(dataset.id)).toEqual([])
    })

    it.each([
      ['an id that is taken', 409, (id: string) => [{ id, inputs: {} }]],
      ['no inputs', 400, () => [{ id: uuid7() }]],
      ['JSON that is none', 400, () => [{ id: uuid7(), inputs: '{"a":' }]],
      ['inputs that are a list', 400, () => [{ id: uuid7(), inputs: [] }]],
      ['a name without an id', 400, () => [{ id: 'hello', inputs: {} }]],
      [
        'a source run that is unknown',
        404,
        () => [{ id: uuid7(), main: { source_run_id: uuid7(), use_source_run_io: true } }],
      ],
      ['a split that is a number', 400, () => [{ id: uuid7(), main: { split: 5 }, inputs: {} }]],
      ['metadata that is a text', 400, () => [{ id: uuid7(), main: { metadata: 'x' }, inputs: {} }]],
    ])('are rejected for %s, together with the rest of the request', async (_, status, bad) => {
      const dataset = await aDataset()
      const [taken, beside] = [uuid7(), uuid7()]
      await upload(dataset.id, [{ id: taken, inputs: {} }])

      const answer = await upload(dataset.id, [{ id: beside, inputs: {} }, ...(bad(taken) as ExampleInForm[])])

      expect(answer, answer.text).toMatchObject({ status, body: { error: expect.any(String) } })
      expect((await read(beside)).status).toBe(404)
      expect(await versionsOf(dataset.id)).toHaveLength(1)
    })

    it('are rejected for an unknown dataset', async () => {
      const answer = await upload(uuid7(), [{ id: uuid7(), inputs: {} }])
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('not found')
    })

    it('keep their id permanently, also when they are deleted', async () => {
      const dataset = await aDataset()
      const id = uuid7()
      await upload(dataset.id, [{ id, inputs: {} }])
      await app.call(examples.delete, { params: { example_id: id } })
      expect((await upload(dataset.id, [{ id, inputs: {} }])).status).toBe(409)
    })

    it('return their attachments to a reader with the link', async () => {
      const dataset = await aDataset()
      const id = uuid7()
      await upload(dataset.id, [
        { id, inputs: {}, attachments: { 'photo.v2.png': ['image/png', 'bytes'], 'ein Name ü': ['text/plain', 'ü'] } },
      ])

      const { attachment_urls: urls = {} } = (await read(id)).body

      expect(Object.keys(urls)).toEqual(['attachment.photo.v2.png', 'attachment.ein Name ü'])
      const photo = urls['attachment.photo.v2.png']!
      expect(photo.mime_type).toBe('image/png')
      const bytes = await fetch(photo.presigned_url)
      expect(await bytes.text()).toBe('bytes')
      const [listed] = await list({ dataset: dataset.id, select: ['attachment_urls', 'outputs', 'metadata'] })
      expect(Object.keys(listed!.attachment_urls!)).toHaveLength(2)
      expect(listed!.inputs).toEqual({})
      expect((await list({ dataset: dataset.id }))[0]).not.toHaveProperty('attachment_urls')
    })
  })

  describe('updated', () => {
    it('keep absent fields, replace given ones, and keep their splits with new metadata', async () => {
      const dataset = await aDataset()
      const id = uuid7()
      await upload(dataset.id, [
        { id, main: { metadata: { a: 1 }, split: ['x', 'y'] }, inputs: { i: 1 }, outputs: { o: 1 } },
      ])

      const answer = await patch(dataset.id, [{ id, main: { metadata: { b: 2 } }, outputs: { p: 2 } }])

      expect(answer).toMatchObject({ status: 201, body: { count: 1, example_ids: [id] } })
      expect((await read(id)).body).toMatchObject({
        inputs: { i: 1 },
        outputs: { p: 2 },
        metadata: { b: 2, dataset_split: ['x', 'y'] },
        modified_at: answer.body.as_of,
      })
      await patch(dataset.id, [{ id, main: { split: 'z' } }])
      expect((await read(id)).body.metadata).toEqual({ b: 2, dataset_split: ['z'] })
      await patch(dataset.id, [{ id, main: { metadata: { dataset_split: ['w'] } } }])
      expect((await read(id)).body.metadata).toEqual({ dataset_split: ['w'] })
    })

    it('keep, remove, rename and add attachments by operations', async () => {
      const dataset = await aDataset()
      const id = uuid7()
      const three = { a: ['text/plain', '1'], b: ['text/plain', '2'], c: ['text/plain', '3'] } as const
      const names = async () =>
        Object.keys((await read(id)).body.attachment_urls ?? {}).map((name) => name.slice('attachment.'.length))
      await upload(dataset.id, [{ id, inputs: {}, attachments: three }])

      await patch(dataset.id, [{ id }])
      expect(await names()).toEqual(['a', 'b', 'c'])

      await patch(dataset.id, [
        { id, operations: { retain: ['a', 'unknown'], rename: { b: 'd' } }, attachments: { e: ['text/plain', '5'] } },
      ])
      expect(await names()).toEqual(['a', 'd', 'e'])

      const clash = await patch(dataset.id, [{ id, operations: { retain: ['a'], rename: { d: 'a' } } }])
      expect(clash.status).toBe(400)

      await patch(dataset.id, [{ id, attachments: { f: ['text/plain', '6'] } }])
      expect(await names()).toEqual(['f'])
    })

    it('are refused when they were changed since they were read, by every route', async () => {
      const dataset = await aDataset()
      const [one, two] = [uuid7(), uuid7()]
      await upload(
        dataset.id,
        [one, two].map((id) => ({ id, inputs: { n: 1 } })),
      )
      const { modified_at } = (await read(one)).body
      const expected = { modified_at }
      const first = await patch(dataset.id, [{ id: one, main: { expected }, inputs: { n: 2 } }])
      expect(first.status).toBe(201)

      const late = await patch(dataset.id, [
        { id: two, main: { expected }, inputs: { n: 3 } },
        { id: one, main: { expected }, inputs: { n: 3 } },
      ])
      const single = await app.call(examples.update, { params: { example_id: one }, body: { split: 'x', expected } })
      const bulk = await app.call(examples.updateMany, { body: [{ id: one, inputs: { n: 3 }, expected }] })

      expect([late.status, single.status, bulk.status]).toEqual([409, 409, 409])
      expect(late.body.detail).toEqual([
        { loc: ['examples', one], msg: 'it was changed since you read it; read it again', type: 'conflict' },
      ])
      expect((await read(one)).body.inputs).toEqual({ n: 2 })
      expect((await read(two)).body.inputs).toEqual({ n: 1 })
      const again = { modified_at: (await read(one)).body.modified_at }
      const third = await patch(dataset.id, [{ id: one, main: { expected: again }, inputs: { n: 3 } }])
      expect(third.status).toBe(201)
      // Clients that send no version overwrite, as before.
      expect((await patch(dataset.id, [{ id: one, inputs: { n: 4 } }])).status).toBe(201)
    })

    it('are changed by one of many requests at once that have read the same version', async () => {
      const dataset = await aDataset()
      const id = uuid7()
      await upload(dataset.id, [{ id, inputs: { n: 0 } }])
      const expected = { modified_at: (await read(id)).body.modified_at }
      const answers = await Promise.all(
        [1, 2, 3, 4, 5].map((n) => patch(dataset.id, [{ id, main: { expected }, inputs: { n } }])),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    })

    it('are all unchanged when one is unknown or belongs to another dataset', async () => {
      const [here, there] = [await aDataset(), await aDataset()]
      const [mine, other] = [uuid7(), uuid7()]
      await upload(here.id, [{ id: mine, inputs: { n: 1 } }])
      await upload(there.id, [{ id: other, inputs: {} }])

      const unknown = await patch(here.id, [{ id: mine, inputs: { n: 2 } }, { id: uuid7() }])
      const foreign = await patch(here.id, [{ id: mine, inputs: { n: 2 } }, { id: other }])

      expect(unknown.status).toBe(404)
      expect(foreign.status).toBe(409)
      expect((await read(mine)).body.inputs).toEqual({ n: 1 })
    })

    it('behave equally through the v1 routes', async () => {
      const dataset = await aDataset()
      const { body: made } = await app.call(examples.createMany, {
        body: [
          { dataset_id: dataset.id, inputs: { n: 1 }, outputs: { m: 1 }, metadata: { a: 1 } },
          { dataset_id: dataset.id, inputs: { n: 2 }, split: ['s'] },
        ],
      })
      const [one, two] = [made[0]!, made[1]!]

      const single = await app.call(examples.update, {
        params: { example_id: one.id },
        body: { outputs: { m: 2 }, overwrite: true, inputs: { n: 1 } },
      })
      const bulk = await app.call(examples.updateMany, {
        body: [
          { id: one.id, split: 't' },
          { id: two.id, inputs: { n: 3 } },
        ],
      })
      const moved = await app.call(examples.update, { params: { example_id: one.id }, body: { dataset_id: uuid7() } })

      expect([single.status, bulk.status, moved.status]).toEqual([200, 200, 400])
      expect((await read(one.id)).body).toMatchObject({ outputs: { m: 2 }, metadata: { dataset_split: ['t'] } })
      expect((await read(one.id)).body.metadata).not.toHaveProperty('a')
      expect((await read(two.id)).body).toMatchObject({ inputs: { n: 3 }, metadata: { dataset_split: ['s'] } })
      expect(await versionsOf(dataset.id)).toHaveLength(3)
    })

    it('by an upsert are replaced or created', async () => {
      const dataset = await aDataset()
      const [old, fresh] = [uuid7(), uuid7()]
      await upload(dataset.id, [{ id: old, main: { metadata: { a: 1 } }, inputs: { n: 1 }, outputs: { m: 1 } }])

      const main = { dataset_id: dataset.id }
      const answer = await send('POST', '/examples/multipart', [
        { id: fresh, main, inputs: { n: 3 } },
        { id: old, main, inputs: { n: 2 } },
      ])

      expect(answer).toMatchObject({ status: 201, body: { count: 2, example_ids: [fresh, old] } })
      expect((await read(old)).body).toMatchObject({
        inputs: { n: 2 },
        outputs: null,
        metadata: { dataset_split: ['base'] },
      })
      expect((await read(fresh)).body).toMatchObject({ inputs: { n: 3 } })
    })
  })

  describe('created through the v1 routes', () => {
    it('are returned in the order of the request, from several datasets', async () => {
      const [here, there] = [await aDataset(), await aDataset()]
      const body = [here, there, here].map(({ id }, n) => ({ dataset_id: id, inputs: { n } }))

      const answer = await app.call(examples.createMany, { body })

      expect(answer.body.map(({ inputs }) => inputs)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }])
      expect(await versionsOf(here.id)).toHaveLength(1)
      expect((await app.call(examples.create, { body: { dataset_id: uuid7(), inputs: {} } })).status).toBe(404)
    })

    it('replace existing examples when they are created in bulk', async () => {
      const { id: dataset_id } = await aDataset()
      const id = uuid7()
      const create = (inputs: object) => app.call(examples.createMany, { body: [{ id, dataset_id, inputs }] })
      const first = await create({ n: 1 })
      const second = await create({ n: 2 })
      expect([first.status, second.status]).toEqual([200, 200])
      expect((await read(id)).body).toMatchObject({ inputs: { n: 2 }, created_at: first.body[0]!.created_at })
      expect((await app.call(examples.create, { body: { id, dataset_id, inputs: {} } })).status).toBe(409)
    })

    it('are not stored when they are validated', async () => {
      const dataset = await aDataset({ inputs_schema_definition: { type: 'object', required: ['n'] } })
      const good = await app.call(examples.validate, { body: { dataset_id: dataset.id, inputs: { n: 1 } } })
      const bad = await app.call(examples.validateMany, {
        body: [
          { dataset_id: dataset.id, inputs: { n: 1 } },
          { dataset_id: dataset.id, inputs: {} },
        ],
      })

      expect(good).toMatchObject({ status: 200, body: { inputs: { n: 1 }, metadata: { dataset_split: ['base'] } } })
      expect(bad.status).toBe(400)
      expect(await versionsOf(dataset.id)).toEqual([])
    })
  })

  describe('created from a run', () => {
    it('take its inputs, outputs and attachments', async () => {
      const dataset = await aDataset()
      const run = uuid7()
      const form = new FormData()
      const part = (name: string, text: string, type = 'application/json') =>
        form.append(name, new Blob([text], { type }), 'blob')
      part(
        `post.${run}`,
        JSON.stringify({
          id: run,
          trace_id: run,
          name: 'r',
          run_type: 'chain',
          start_time: '2025-03-01T10:00:00Z',
          dotted_order: `20250301T100000000000Z${run}`,
        }),
      )
      part(`post.${run}.inputs`, '{"q": 1.0}')
      part(`post.${run}.outputs`, '{"a": 2}')
      part(`attachment.${run}.a`, 'one', 'text/plain')
      part(`attachment.${run}.b`, 'two', 'text/plain')
      const sent = await app.fetch('/runs/multipart', { method: 'POST', body: form })
      expect(sent.status, await sent.text()).toBe(202)
      const [all, some, link] = [uuid7(), uuid7(), uuid7()]

      const answer = await upload(dataset.id, [
        { id: all, main: { source_run_id: run, use_source_run_io: true }, inputs: { lost: 1 } },
        { id: some, main: { source_run_id: run, use_source_run_attachments: ['b', 'c'] }, inputs: { own: 1 } },
        { id: link, main: { source_run_id: uuid7() }, inputs: {} },
      ])

      expect(answer.status, answer.text).toBe(201)
      const whole = await read(all)
      expect(whole.text).toContain('"inputs":{"q": 1.0}')
      expect(whole.body).toMatchObject({ outputs: { a: 2 }, source_run_id: run })
      expect(Object.keys(whole.body.attachment_urls!)).toEqual(['attachment.a', 'attachment.b'])
      const copied = (await read(some)).body
      expect(copied.inputs).toEqual({ own: 1 })
      expect(await (await fetch(copied.attachment_urls!['attachment.b']!.presigned_url)).text()).toBe('two')
      expect(Object.keys(copied.attachment_urls!)).toEqual(['attachment.b'])
      const query = { dataset: dataset.id, source_run: run }
      const found = await app.call(examples.list, { query })
      expect(found.body.map(({ id }) => id).sort()).toEqual([all, some].sort())
      expect((await app.call(examples.count, { query })).body).toBe(2)
      expect((await app.call(examples.list, { query: { ...query, source_run: uuid7() } })).body).toEqual([])
    })
  })

  describe('deleted', () => {
    it('are missing in new versions, and exist in earlier ones', async () => {
      const dataset = await aDataset()
      const [one, two] = [uuid7(), uuid7()]
      const { body: made } = await upload(
        dataset.id,
        [one, two].map((id) => ({ id, inputs: {} })),
      )

      const answer = await app.call(examples.delete, { params: { example_id: one } })

      expect(answer).toMatchObject({ status: 200, text: 'null' })
      expect((await read(one)).status).toBe(404)
      expect((await read(one, { as_of: made.as_of })).status).toBe(200)
      expect((await list({ dataset: dataset.id })).map(({ id }) => id)).toEqual([two])
      expect(await list({ dataset: dataset.id, as_of: made.as_of })).toHaveLength(2)
      const again = await app.call(examples.deleteMany, { query: { example_ids: [one, two] } })
      expect(again.status).toBe(404)
      expect((await read(two)).status).toBe(200)
    })

    it('can be deleted again through their dataset, but not through another', async () => {
      const [dataset, other] = [await aDataset(), await aDataset()]
      const id = uuid7()
      await upload(dataset.id, [{ id, inputs: {} }])
      const remove = (dataset_id: string) =>
        app.fetch(`/platform/datasets/${dataset_id}/examples/${id}`, { method: 'DELETE' })

      expect((await remove(other.id)).status).toBe(409)
      expect((await read(id)).status).toBe(200)
      expect((await remove(uuid7())).status).toBe(404)
      expect((await remove(dataset.id)).status).toBe(204)
      expect((await read(id)).status).toBe(404)
      expect((await remove(dataset.id)).status).toBe(204)
    })

    it('permanently are removed from every version', async () => {
      const dataset = await aDataset()
      const [one, two] = [uuid7(), uuid7()]
      const { body: made } = await upload(
        dataset.id,
        [one, two].map((id) => ({ id, inputs: {} })),
      )
      await patch(dataset.id, [{ id: one, outputs: {} }])

      const soft = await app.call(examples.hardDelete, { body: { example_ids: [one], hard_delete: false } })
      const hard = await app.call(examples.hardDelete, { body: { example_ids: [one], hard_delete: true } })

      expect(soft.status).toBe(400)
      expect(hard).toMatchObject({ status: 200, body: { count: 1, example_ids: [one] } })
      expect((await read(one, { as_of: made.as_of })).status).toBe(404)
      expect((await list({ dataset: dataset.id, as_of: made.as_of })).map(({ id }) => id)).toEqual([two])
      expect((await upload(dataset.id, [{ id: one, inputs: {} }])).status).toBe(409)
      const counted = await app.call(datasets.read, { params: { dataset_id: dataset.id } })
      expect(counted.body.example_count).toBe(1)
    })
  })

  describe('listed', () => {
    it('are found and counted by every query condition', async () => {
      const dataset = await aDataset()
      const ids = Array.from({ length: 6 }, () => uuid7())
      await upload(
        dataset.id,
        ids.map((id, n) => ({
          id,
          main: {
            metadata: { n, even: n % 2 === 0, deep: { k: `v${n}` } },
            split: n < 3 ? ['low', 'all'] : ['high', 'all'],
          },
          inputs: { text: n === 4 ? 'Crème brûlée 50%' : 'plain' },
          outputs: n === 5 ? '{"said": "na\\u00efve"}' : undefined,
        })),
      )
      const found = async (query: Record<string, string | string[]>) => {
        const rows = await list({ dataset: dataset.id, ...query })
        const counted = await app.call(examples.count, { query: { dataset: dataset.id, ...query } })
        expect(counted.body).toBe(rows.length)
        return rows.map(({ id }) => ids.indexOf(id))
      }

      expect(await found({})).toEqual([0, 1, 2, 3, 4, 5])
      expect(await found({ id: [ids[2]!, ids[4]!.toUpperCase(), uuid7()] })).toEqual([2, 4])
      expect(await found({ splits: ['low'] })).toEqual([0, 1, 2])
      expect(await found({ splits: ['low', 'high'] })).toHaveLength(6)
      expect(await found({ splits: ['a,b'] })).toEqual([])
      expect(await found({ metadata: '{"even":true}' })).toEqual([0, 2, 4])
      expect(await found({ metadata: '{"deep":{"k":"v3"}}' })).toEqual([3])
      expect(await found({ metadata: '{"dataset_split":["high"]}' })).toEqual([3, 4, 5])
      expect(await found({ filter: 'and(gt(metadata.n, 1), eq(metadata.even, true))' })).toEqual([2, 4])
      expect(await found({ filter: 'has("metadata", \'{"n": 1}\')' })).toEqual([1])
      expect(await found({ filter: 'not(exists(metadata, "n"))' })).toEqual([])
      expect(await found({ filter: 'in(metadata.deep.k, ["v0","v5"])' })).toEqual([0, 5])
      expect(await found({ full_text_contains: ['BRÛLÉE', '50%'] })).toEqual([4])
      expect(await found({ full_text_contains: ['naïve'] })).toEqual([5])
    })

    it('are sorted in the requested order, and in its exact reverse', async () => {
      const dataset = await aDataset()
      const ids = Array.from({ length: 5 }, () => uuid7()).sort()
      const at = (n: number) => `2025-03-0${n}T00:00:00Z`
      await upload(
        dataset.id,
        [2, 3, 1].map((day, n) => ({ id: ids[n]!, main: { created_at: at(day) }, inputs: {} })),
      )
      await upload(
        dataset.id,
        [9, 9].map((day, n) => ({ id: ids[n + 3]!, main: { created_at: at(day) }, inputs: {} })),
      )
      const order = async (query: Record<string, string>) =>
        (await list({ dataset: dataset.id, ...query })).map(({ id }) => ids.indexOf(id))

      expect(await order({})).toEqual([3, 4, 0, 1, 2])
      expect(await order({ descending: 'False' })).toEqual([2, 1, 0, 4, 3])
      expect(await order({ order: 'recently_created' })).toEqual([3, 4, 1, 0, 2])
      expect(await order({ order: 'id' })).toEqual([0, 1, 2, 3, 4])
      expect(await order({ order: 'id', descending: 'true' })).toEqual([4, 3, 2, 1, 0])
      const shuffled = await order({ order: 'random', random_seed: '7' })
      expect([...shuffled].sort()).toEqual([0, 1, 2, 3, 4])
      expect(await order({ order: 'random', random_seed: '7' })).toEqual(shuffled)
    })

    it.each(['recent', 'recently_created', 'id'])(
      'over several pages in the order %s occur once each',
      async (order) => {
        const dataset = await aDataset()
        const ids = Array.from({ length: 23 }, () => uuid7())
        for (const from of [0, 7, 14]) {
          await upload(
            dataset.id,
            ids.slice(from, from + (from === 14 ? 9 : 7)).map((id) => ({ id, inputs: {} })),
          )
        }
        const all = (await list({ dataset: dataset.id, order })).map(({ id }) => id)
        const page = async (offset: number) =>
          (await list({ dataset: dataset.id, order, limit: '5', offset: String(offset) })).map(({ id }) => id)

        for (const offset of [0, 5, 10, 15, 20, 25, 12, 3, 22, 23])
          expect(await page(offset)).toEqual(all.slice(offset, offset + 5))
      },
    )

    it('by ids are found in every dataset', async () => {
      const [here, there] = [await aDataset(), await aDataset()]
      const [one, two] = [uuid7(1), uuid7(2)]
      await upload(here.id, [{ id: one, inputs: {} }])
      await upload(there.id, [{ id: two, inputs: {} }])

      expect((await list({ id: [one, two], order: 'id' })).map(({ id }) => id)).toEqual([one, two])
      expect(await list({ id: [one], offset: '1' })).toEqual([])
    })

    it('contain only their id and selected fields when the rest is excluded', async () => {
      const dataset = await aDataset()
      const id = uuid7()
      const inputs = '{"z": 1.0, "a": 12345678901234567890}'
      await upload(dataset.id, [
        { id, main: '{"split":"train"}', inputs, outputs: '{"o":1}', attachments: { a: ['text/plain', 'b'] } },
      ])
      const text = async (query: string) =>
        (await app.fetch(`/examples?dataset=${dataset.id}&exclude_default_fields=${query}`)).text()
      expect(await text('True')).toBe(`[{"id":"${id}"}]`)
      expect(await text('true&select=inputs&select=no_such_field')).toBe(`[{"id":"${id}","inputs":${inputs}}]`)
      expect(JSON.parse(await text('true&select=metadata&select=outputs'))).toEqual([
        { id, outputs: { o: 1 }, metadata: { dataset_split: ['train'] } },
      ])
      const [shown] = JSON.parse(await text('true&select=attachment_urls'))
      expect(Object.keys(shown)).toEqual(['id', 'attachment_urls'])
      expect(await (await fetch(shown.attachment_urls['attachment.a'].presigned_url)).text()).toBe('b')
      expect(JSON.parse(await text('false&select=inputs'))[0]).toMatchObject({
        outputs: { o: 1 },
        name: expect.anything(),
      })
    })

    it.each([
      [{}, /dataset/],
      [{ limit: '0' }, /limit/],
      [{ limit: '101' }, /limit/],
      [{ offset: '-1' }, /offset/],
      [{ metadata: '{' }, /metadata/],
      [{ filter: 'eq(name, "x")' }, /character/],
      [{ filter: 'eq(metadata.a, ' }, /character/],
    ] as const)('are refused for %j', async (query, message) => {
      const dataset = Object.keys(query).length > 0 ? { dataset: (await aDataset()).id } : {}
      const answer = await app.call(examples.list, { query: { ...dataset, ...query } })
      expect(answer.status).toBe(400)
      expect(answer.text).toMatch(message)
    })
  })
})
