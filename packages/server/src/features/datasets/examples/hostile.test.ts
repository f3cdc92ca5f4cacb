import { contract, uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ExampleInForm, exampleForm } from '../../../testing/example-form.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { createDataset } from '../index.ts'
import { changeExamples } from './change-examples.ts'
import { readExamples } from './read-examples.ts'

describe.each(relationalEngines(import.meta.filename))('hostile examples on %s', (_engine, open) => {
  let app: StartedApp
  let datasetId: string
  const { datasets, datasetVersions, examples } = contract

  beforeAll(async () => {
    app = await startApp({ relational: await open() })
    datasetId = (await app.call(datasets.create, { body: { name: 'hostile' } })).body.id
  })
  afterAll(() => app.close())

  const upload = async (form: readonly ExampleInForm[]) => {
    const path = `/v1/platform/datasets/${datasetId}/examples`
    const answer = await app.fetch(path, { method: 'POST', body: exampleForm(form) })
    return { status: answer.status, text: await answer.text() }
  }
  const read = (id: string) => app.call(examples.read, { params: { example_id: id } })
  const find = (query: Record<string, string>) => app.call(examples.list, { query: { dataset: datasetId, ...query } })

  it.each([
    ['NUL', '{"a\\u0000b":"c\\u0000d"}'],
    ['halves of surrogate pairs', '{"\\ud800":"\\udc00 \\ud83d"}'],
    ['the control characters that part our columns', '{"a":"\\u001f\\u001e","b":"\\\\u001f"}'],
    ['names of prototypes', '{"__proto__":{"polluted":1},"constructor":{"prototype":{}},"toString":null}'],
    ['repeated keys', '{"a":1,"a":2,"dataset_splits":[1]}'],
    ['a thousand levels', `${'{"a":'.repeat(1000)}{}${'}'.repeat(1000)}`],
    ['a thousand lists', `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`],
    ['numbers beyond all measure', '{"a":1e400,"b":-0.0,"c":123456789012345678901234567890,"d":1.10}'],
    ['a key of 10 kB', `{"${'k'.repeat(10_240)}":"${'v'.repeat(10_240)}"}`],
    ['white space', ' {\n\t"a" : [ 1 , 2 ]\r\n} '],
    ['SQL', '{"a":"\'); drop table example_states; --","$1":"{}","\\\\":"\\""}'],
  ])('are returned unchanged with %s, in payloads and in metadata', async (_, json) => {
    const id = uuid7()

    const answer = await upload([{ id, main: `{"metadata":${json}}`, inputs: json, outputs: json }])

    expect(answer.status, answer.text).toBe(201)
    const { text, body } = await read(id)
    expect(text).toContain(`"inputs":${json},"outputs":${json},"metadata":`)
    expect(body.metadata.dataset_split).toEqual(['base'])
    const inside = json.slice(json.indexOf('{') + 1, json.lastIndexOf('}')).trimEnd()
    expect(text).toContain(`${inside},"dataset_split":["base"]}`)
    expect((await find({ limit: '1' })).text).toContain(`"inputs":${json}`)
  })

  it('are found by metadata that the database stores in another form', async () => {
    const id = uuid7()
    await upload([{ id, main: '{"metadata":{"nul":"x\\u0000y","half":"\\ud800"}}', inputs: {} }])

    expect((await find({ metadata: '{"nul":"x\\u0000y"}' })).body.map((one) => one.id)).toEqual([id])
    expect((await find({ filter: 'eq(metadata.half, "\\ud800")' })).status).toBeLessThan(500)
    expect((await find({ full_text_contains: 'a\u0000b' })).status).toBe(200)
    expect((await find({ splits: 'a\u0000b' })).body).toEqual([])
    expect((await find({ as_of: 'a\u0000b' })).status).toBe(404)
  })

  it.each([
    ['NUL', 'a\u0000b'],
    ['half a surrogate pair', 'a\ud800b'],
    ['a control character', 'a\u001fb'],
    ['10 kB', 'x'.repeat(10_240)],
  ])('are rejected with %s in the name of a split', async (_, split) => {
    expect((await upload([{ id: uuid7(), main: { split }, inputs: {} }])).status).toBe(400)
    const id = uuid7()
    await upload([{ id, inputs: {} }])
    const answer = await app.call(datasetVersions.updateSplits, {
      params: { dataset_id: datasetId },
      body: { split_name: split, examples: [id] },
    })
    expect(answer.status).toBe(400)
  })

  it.each([
    ['dots and a path', '../../etc/passwd'],
    ['a prototype', '__proto__'],
    ['10 kB', `${'n'.repeat(10_240)}.png`],
    ['quotes and braces', `{"a"},{'b'}`],
    ['unicode', 'ä 🎉.png'],
  ])('keep an attachment with the name %s', async (_, name) => {
    const id = uuid7()

    const answer = await upload([
      { id, inputs: {}, attachments: Object.fromEntries([[name, ['text/plain', 'bytes']]]) },
    ])

    expect(answer.status, answer.text).toBe(201)
    const { text } = await read(id)
    const urls = JSON.parse(text).attachment_urls as Record<string, { presigned_url: string }>
    expect(Object.keys(urls)).toEqual([`attachment.${name}`])
    expect(await (await fetch(Object.values(urls)[0]!.presigned_url)).text()).toBe('bytes')
  })

  it('accept ids of any form, in any case', async () => {
    const ids = ['00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF']
    expect((await upload(ids.map((id) => ({ id, inputs: {} })))).status).toBe(201)
    expect((await read(ids[1]!.toLowerCase())).status).toBe(200)
    expect((await upload([{ id: ids[1]!.toLowerCase(), inputs: {} }])).status).toBe(409)
  })

  it.each([
    ['nothing', 'application/json', ''],
    ['no boundary', 'multipart/form-data', '--x--'],
    [
      'a body that is cut',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n{}',
    ],
  ])('are rejected in %s', async (_, type, body) => {
    const path = `/v1/platform/datasets/${datasetId}/examples`
    const answer = await app.fetch(path, { method: 'POST', headers: { 'content-type': type }, body })
    expect(answer.status).toBe(400)
  })

  it('of another workspace are not found, like their dataset', async () => {
    const id = uuid7()
    const form: ExampleInForm[] = [{ id, inputs: { secret: 1 } }]
    await upload(form)
    const [tenantId, foreign] = [uuid7(), uuid7()]
    await app.deps.relational.db.execute(
      sql`insert into workspaces (id, organization_id, display_name) values (${tenantId}, ${uuid7()}, 'theirs')`,
    )
    await createDataset(app.deps, tenantId, { id: foreign, name: 'theirs' })
    const theirs = await changeExamples(app.deps, tenantId, { id: foreign }, [{ do: 'create', id, inputs: '{}' }])

    for (const path of [`/datasets/${foreign}`, `/examples?dataset=${foreign}`, `/datasets/${foreign}/versions`]) {
      const answer = await app.fetch(path)
      expect(answer.status).toBe(404)
      expect(await answer.text()).toContain('not found')
    }
    expect(theirs.ids).toEqual([id]) // an id is taken in its own workspace only
    expect((await read(id)).body.inputs).toEqual({ secret: 1 })
    await app.call(examples.hardDelete, { body: { example_ids: [id], hard_delete: true } })
    const kept = await readExamples(app.deps, tenantId, { dataset: foreign })
    expect(kept).toHaveLength(1)
  })
})
