import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { python, runScript } from './run-script.ts'

let server: SharedServer
let elsewhere: SharedServer
beforeAll(async () => {
  if (python === undefined) return
  server = await shareServer()
  elsewhere = await shareServer()
})
afterAll(async () => {
  await server?.stop()
  await elsewhere?.stop()
})

type Fields = Record<string, unknown>
const VERSION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const schema = { type: 'object', required: ['q'], properties: { q: { type: 'string' }, a: {} } }
const inputs = { z: 1, a: [null, {}, [], '', 0, false], text: 'é \u0000 \u2028 "', deep: { er: { est: [1.5, -0.25] } } }

describe.skipIf(python === undefined)('datasets through the public Python client', () => {
  let report: Fields & { ids: Fields; example: Fields; with_files: Fields[]; shared: Fields; at: Fields }
  const name = `cities-${randomBytes(4).toString('hex')}`
  beforeAll(async () => {
    const task = { name, inputs, schema, elsewhere: `${elsewhere.url}/api/v1` }
    report = await runScript('datasets', task, server.url)
  })

  it('are created, read, listed and deleted', () => {
    expect(report.created).toMatchObject({
      name,
      description: 'Country to capital',
      data_type: 'kv',
      inputs_schema: schema,
      outputs_schema: { type: 'object' },
      metadata: { owner: 'qa', level: 2, runtime: expect.any(Object) },
      example_count: 0,
      session_count: 0,
    })
    expect(report.read).toEqual(report.created)
    expect(report).toMatchObject({
      by_name: (report.created as Fields).id,
      has: [true, false],
      listed: [true, true, true, true],
      url: expect.stringMatching(/\/o\/[0-9a-f-]{36}\/datasets\/[0-9a-f-]{36}$/),
      conflict: expect.stringContaining('already exists'),
      gone: expect.stringContaining('not found'),
    })
  })

  it('are made of CSV files and data frames', () => {
    expect(report.csv).toMatchObject({
      description: 'from a file',
      rows: [
        [{ question: 'What is 1+1?' }, { 'the answer': '2' }],
        [{ question: 'a, "b"\nc' }, { 'the answer': '' }],
      ],
    })
    expect(report.frame).toEqual([
      [{ q: 'one', n: '1' }, { a: '0.5' }],
      [{ q: 'thrée', n: '3' }, { a: '' }],
      [{ q: 'two', n: '2' }, { a: '1.5' }],
    ])
  })

  it('hold examples, which come back as they were given, field by field', () => {
    const { dataset, example, source } = report.ids
    const photo = Buffer.concat(
      Array.from({ length: 100 }, () => Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at))),
    )
    const expected = {
      id: example,
      dataset_id: dataset,
      inputs,
      outputs: { a: 'é' },
      metadata: { level: 1, nested: { list: [1, 'two'] }, dataset_split: ['train'] },
      source_run_id: source,
      created_at: '2024-05-06T07:08:09.123000+00:00',
      attachments: {
        'photo.png': { text: photo.toString('latin1'), mime_type: 'image/png' },
        'a note': { text: Buffer.from('é\r\n--boundary\r\n\u0000').toString('latin1'), mime_type: 'text/plain' },
      },
    }
    expect(report.example).toMatchObject(expected)
    expect(report.with_files).toMatchObject([expected])
    expect(report.same).toBe(true)
    expect(report.twice).toContain('already')
  })

  it('hold examples that are created, listed, changed and deleted in bulk', () => {
    expect(report).toMatchObject({
      made: { count: 250, in_order: true, as_of: expect.stringMatching(VERSION) },
      equal: true,
      limited: [1, 100, 150, 51],
      even: 125,
      train: [report.ids.example],
      updated: [
        { inputs: { q: 'zero' }, outputs: { half: 0 }, metadata: { new: true, dataset_split: ['base'] } },
        { inputs: { q: 1 }, outputs: { b: 1 }, metadata: { parity: 'odd', dataset_split: ['x', 'y'] } },
        { inputs: { q: 2 }, outputs: null, metadata: { parity: 'none', dataset_split: ['base'] } },
      ],
      files: {
        renamed: { text: Buffer.from('é\r\n--boundary\r\n\u0000').toString('latin1'), mime_type: 'text/plain' },
        new: { text: 'new', mime_type: 'text/plain' },
      },
      left: 247,
      deleted: expect.stringContaining('not found'),
      older: [true, true, true, false, true],
      upserted: [2, { q: 'replaced' }],
      completion: { output: 'Hi' },
      chat: { input: [{ type: 'human', data: { content: 'Hello' } }] },
    })
    expect(report.by_id).toEqual(report.by_id_wanted)
  })

  it('keep every version, which tags and moments name', () => {
    const first = { kept: { a: 1 }, gone: null }
    expect(report.at).toEqual({ prod: first, first, latest: { kept: { a: 2 }, added: null }, before: {} })
    expect(report).toMatchObject({
      no_version: expect.stringContaining('not found'),
      versions: [['latest'], [], [], ['prod'], []],
      falling: true,
      searched: [['prod']],
      as_of: true,
      diff: [true, true, true],
      old: { a: 1 },
      splits: ['base', 'train'],
      old_splits: ['base'],
      in_train: { kept: { a: 2 } },
      splits_after: ['base'],
      fine_tuning: [
        {
          messages: [
            { role: 'user', content: 'Capital of France?' },
            { role: 'assistant', content: 'Paris' },
          ],
        },
      ],
    })
  })

  it('are shared, cloned from another workspace, and closed', () => {
    expect(report.shared).toMatchObject({ same: true, schema: true })
    expect(report.shared.url).toBe(`http://localhost/public/${report.shared.token}/d`)
    expect(report).toMatchObject({
      public: [true, true, 150],
      public_examples: 150,
      copy: ['far away', { type: 'object' }, 150],
      cloned: true,
      skipped: true,
      closed: expect.stringContaining('not found'),
    })
  })

  it('have experiments, which are compared', () => {
    expect(report.comparison).toEqual({ dataset: true, name: 'A vs. B', description: 'which?', metadata: { m: 1 } })
    expect(report.experiments).toEqual([`${name}-a`, `${name}-b`])
  })

  it('answer the asynchronous client too, which creates one example at a time', () => {
    expect(report).toMatchObject({
      async_read: [true, 'awaited'],
      async_listed: true,
      async_example: [true, true, ['train']],
      async_found: [`${name}-async`],
      async_gone: true,
    })
  })
})
