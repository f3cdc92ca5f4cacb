import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aProjectName, collect } from './a-client.ts'
import { EVERY_CLIENT, type EveryClient, SEARCHING_CLIENTS } from './every-client.ts'

let server: SharedServer
let elsewhere: SharedServer
beforeAll(async () => {
  server = await shareServer()
  elsewhere = await shareServer()
})
afterAll(async () => {
  await server?.stop()
  await elsewhere?.stop()
})

const VERSION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const schema = { type: 'object', required: ['q'], properties: { q: { type: 'string' }, a: {} }, $comment: 'kept: é' }

/** Example content that is easily lost on the way: order of keys, empty values, unicode, deep nesting. */
const inputs = { z: 1, a: [null, {}, [], '', 0, false], text: 'é \u0000 \u2028 "', deep: { er: { est: [1.5, -0.25] } } }

async function newest(client: EveryClient, datasetId: string): Promise<string> {
  return (await client.readDatasetVersion({ datasetId, tag: 'latest' })).as_of
}

describe.each(EVERY_CLIENT)('datasets through $name', ({ make }) => {
  it('are created, read, listed, changed and deleted', async () => {
    const client = make(server.url)
    const name = aProjectName('cities')
    const created = await client.createDataset(name, {
      description: 'Country to capital',
      inputsSchema: schema,
      outputsSchema: { type: 'object' },
      metadata: { owner: 'qa', level: 2 },
    })

    expect(created).toMatchObject({
      id: expect.stringMatching(UUID),
      name,
      description: 'Country to capital',
      data_type: 'kv',
      metadata: { owner: 'qa', level: 2 },
      example_count: 0,
      session_count: 0,
    })
    expect(JSON.stringify(created.inputs_schema_definition)).toBe(JSON.stringify(schema))
    const key = { datasetId: created.id }
    expect(await client.readDataset(key)).toEqual(created)
    expect(await client.readDataset({ datasetName: name })).toEqual(created)
    expect(await client.hasDataset(key)).toBe(true)
    expect(await client.hasDataset({ datasetName: `${name} not` })).toBe(false)
    const found = [
      client.listDatasets({ datasetName: name }),
      client.listDatasets({ datasetIds: [created.id] }),
      client.listDatasets({ datasetNameContains: name.slice(2).toUpperCase() }),
      client.listDatasets({ datasetName: name, metadata: { level: 2 } }),
    ]
    for (const list of found) expect(await collect(list)).toEqual([created])
    expect(await collect(client.listDatasets({ datasetName: name, metadata: { level: 3 } }))).toEqual([])
    expect(await client.getDatasetUrl(key)).toMatch(
      new RegExp(`^http://[^/]+/o/${created.tenant_id}/datasets/${created.id}$`),
    )
    await expect(client.createDataset(name)).rejects.toMatchObject({ name: 'LangSmithConflictError' })

    await client.updateDataset({ datasetId: created.id, name: `${name}-2`, description: 'changed' })
    const changed = await client.readDataset(key)
    const { modified_at, ...rest } = created
    expect(changed).toMatchObject({ ...rest, name: `${name}-2`, description: 'changed' })
    expect(changed.modified_at >= modified_at).toBe(true)

    await client.deleteDataset(key)
    expect(await client.hasDataset({ datasetName: `${name}-2` })).toBe(false)
    await expect(client.readDataset(key)).rejects.toMatchObject({ status: 404 })
  })

  it('are made of CSV files', async () => {
    const client = make(server.url)
    const name = aProjectName('csv')
    const csvFile = new Blob(['question,"the answer",notes\nWhat is 1+1?,2,x\n"a, ""b""\nc",,y\n'], {
      type: 'text/csv',
    })
    const dataset = await client.uploadCsv({
      csvFile,
      fileName: 'sums.csv',
      inputKeys: ['question'],
      outputKeys: ['the answer'],
      name,
      description: 'from a file',
    })
    expect(await client.readDataset({ datasetName: name })).toMatchObject({
      id: dataset.id,
      description: 'from a file',
    })
    const examples = await collect(client.listExamples({ datasetId: dataset.id }))
    const rows = examples.map(({ inputs, outputs }) => ({ inputs, outputs }))
    expect(rows).toHaveLength(2)
    expect(rows).toEqual(
      expect.arrayContaining([
        { inputs: { question: 'What is 1+1?' }, outputs: { 'the answer': '2' } },
        { inputs: { question: 'a, "b"\nc' }, outputs: { 'the answer': '' } },
      ]),
    )
    expect(new Set(examples.map((example) => example.modified_at)).size).toBe(1)
    const bad = client.uploadCsv({
      csvFile,
      fileName: 'b.csv',
      inputKeys: ['no column'],
      outputKeys: [],
      name: `${name}2`,
    })
    await expect(bad).rejects.toThrow(/no column/)
  })

  it('keep every version, which tags and moments name', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('versions'))
    await expect(client.readDatasetVersion({ datasetId, tag: 'latest' })).rejects.toThrow(/not found/)
    const kept = await client.createExample({ dataset_id: datasetId, inputs: { q: 'kept' }, outputs: { a: 1 } })
    const gone = await client.createExample({ dataset_id: datasetId, inputs: { q: 'gone' } })
    const first = await newest(client, datasetId)
    expect(first).toMatch(VERSION)
    expect(first).toBe(gone.modified_at)
    await client.updateDatasetTag({ datasetId, asOf: first, tag: 'prod' })
    await client.updateExample({ id: kept.id, dataset_id: datasetId, inputs: { q: 'kept' }, outputs: { a: 2 } })
    await client.deleteExample(gone.id)
    const added = await client.createExample({ dataset_id: datasetId, inputs: { q: 'added' } })

    const at = async (asOf: string | Date) => {
      const examples = await collect(client.listExamples({ datasetId, asOf }))
      return Object.fromEntries(examples.map(({ inputs, outputs }) => [inputs.q, outputs]))
    }
    const before = { kept: { a: 1 }, gone: null }
    expect(await at('prod')).toEqual(before)
    expect(await at(first)).toEqual(before)
    expect(await at(new Date(first))).toEqual(before)
    expect(await at('latest')).toEqual({ kept: { a: 2 }, added: null })
    expect(await at(new Date(Date.parse(kept.modified_at!) - 1))).toEqual({})
    expect(await client.readDatasetVersion({ datasetId, tag: 'prod' })).toEqual({ as_of: first, tags: ['prod'] })
    expect(await client.readDatasetVersion({ datasetId, asOf: first })).toMatchObject({ as_of: first })
    expect(await client.diffDatasetVersions({ datasetId, fromVersion: first, toVersion: 'latest' })).toEqual({
      examples_modified: [kept.id],
      examples_added: [added.id],
      examples_removed: [gone.id],
    })
    await expect(client.readExample(gone.id)).rejects.toThrow(/not found/)

    await client.updateDatasetTag({ datasetId, asOf: await newest(client, datasetId), tag: 'prod' })
    expect(await at('prod')).toEqual({ kept: { a: 2 }, added: null })
    await expect(client.updateDatasetTag({ datasetId, asOf: first, tag: 'latest' })).rejects.toThrow(/\[400\]/)
  })

  it('are cut into splits, which belong to versions too', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('splits'))
    const rows = Array.from({ length: 4 }, (_, at) => ({ dataset_id: datasetId, inputs: { at } }))
    const examples = await client.createExamples(rows)
    const before = await newest(client, datasetId)
    const exampleIds = examples.slice(0, 2).map(({ id }) => id)
    await client.updateDatasetSplits({ datasetId, splitName: 'train', exampleIds })
    const own = await client.createExample({ dataset_id: datasetId, inputs: { at: 4 }, split: ['test', 'hard'] })

    expect(await client.listDatasetSplits({ datasetId })).toEqual(['base', 'hard', 'test', 'train'])
    expect(await client.listDatasetSplits({ datasetId, asOf: before })).toEqual(['base'])
    const inSplit = async (...splits: string[]) =>
      (await collect(client.listExamples({ datasetId, splits }))).map(({ inputs }) => inputs.at).sort()
    expect(await inSplit('train')).toEqual([0, 1])
    expect(await inSplit('train', 'hard')).toEqual([0, 1, 4])
    expect(own.metadata).toEqual({ dataset_split: ['test', 'hard'] })

    await client.updateDatasetSplits({ datasetId, splitName: 'train', exampleIds: exampleIds.slice(1), remove: true })
    expect(await inSplit('train')).toEqual([0])
    expect((await client.readExample(exampleIds[1]!)).metadata).toEqual({ dataset_split: ['base'] })
  })

  it('are read as the lines that fine-tuning takes', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('chats'), { dataType: 'chat' })
    const message = (type: string, content: string) => ({ type, data: { content } })
    await client.createChatExample(
      [message('system', 'Be brief.'), message('human', 'Capital of France?')],
      message('ai', 'Paris'),
      {
        datasetId,
      },
    )
    expect(await client.readDatasetOpenaiFinetuning({ datasetId })).toEqual([
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Capital of France?' },
          { role: 'assistant', content: 'Paris' },
        ],
      },
    ])
  })

  it('are shared, read by strangers, and closed', async () => {
    const client = make(server.url)
    const name = aProjectName('shared')
    const { id: datasetId } = await client.createDataset(name, { description: 'for all' })
    const [example] = await client.createExamples([
      {
        dataset_id: datasetId,
        inputs,
        outputs: { a: 1 },
        attachments: { 'n.txt': ['text/plain', Buffer.from('note')] },
      },
      { dataset_id: datasetId, inputs: { q: 2 } },
    ])
    const share = await client.shareDataset(datasetId)
    expect(share).toEqual({
      dataset_id: datasetId,
      share_token: expect.stringMatching(UUID),
      url: expect.stringMatching(new RegExp(`^http://[^/]+/public/${share.share_token}/d$`)),
    })
    expect(await client.shareDataset(undefined, name)).toEqual(share)
    expect(await client.readDatasetSharedSchema(datasetId)).toEqual(share)

    expect(await client.readSharedDataset(share.share_token)).toMatchObject({ id: datasetId, name, example_count: 2 })
    const listed = await client.listSharedExamples(share.share_token)
    expect(listed).toHaveLength(2)
    const one = await client.listSharedExamples(share.share_token, { exampleIds: [example!.id] })
    expect(one).toMatchObject([{ id: example!.id, inputs, outputs: { a: 1 } }])

    await client.unshareDataset(datasetId)
    await expect(client.readSharedDataset(share.share_token)).rejects.toThrow(/not found/)
    await expect(client.listSharedExamples(share.share_token)).rejects.toThrow(/Failed to list shared examples/)
  })

  it('are cloned from another workspace by their public page', async () => {
    const [there, here] = [make(elsewhere.url), make(server.url)]
    const name = aProjectName('original')
    const { id: datasetId } = await there.createDataset(name, {
      description: 'far away',
      inputsSchema: { type: 'object' },
    })
    const rows = Array.from({ length: 3 }, (_, at) => ({
      dataset_id: datasetId,
      inputs: { at, inputs },
      outputs: { at },
    }))
    await there.createExamples(rows)
    const { url } = await there.shareDataset(datasetId)

    await here.clonePublicDataset(url, { sourceApiUrl: `${elsewhere.url}/api/v1`, datasetName: `${name}-copy` })

    const copy = await here.readDataset({ datasetName: `${name}-copy` })
    expect(copy).toMatchObject({
      description: 'far away',
      inputs_schema_definition: { type: 'object' },
      data_type: 'kv',
      example_count: 3,
    })
    expect(copy.id).not.toBe(datasetId)
    const examples = await collect(here.listExamples({ datasetId: copy.id }))
    const content = examples
      .map(({ inputs, outputs }) => ({ inputs, outputs }))
      .sort((a, b) => a.inputs.at - b.inputs.at)
    expect(content).toEqual(rows.map(({ inputs, outputs }) => ({ inputs, outputs })))
  })
})

describe.each(EVERY_CLIENT)('examples through $name', ({ make }) => {
  it('come back as they were given, field by field', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('fields'))
    const id = randomUUID()
    const source = randomUUID()
    const metadata = { level: 1, nested: { list: [1, 'two'] } }
    const photo = randomBytes(100_000)
    const created = await client.createExample({
      id,
      dataset_id: datasetId,
      inputs,
      outputs: { a: 'é' },
      metadata,
      split: 'train',
      source_run_id: source,
      created_at: '2024-05-06T07:08:09.123Z',
      attachments: {
        'photo.png': ['image/png', photo],
        'a note': { mimeType: 'text/plain', data: new TextEncoder().encode('é\r\n--boundary\r\n\u0000') },
      },
    })

    const version = await newest(client, datasetId)
    const { attachments, ...fields } = created
    expect(fields).toMatchObject({
      id,
      dataset_id: datasetId,
      inputs,
      outputs: { a: 'é' },
      metadata: { ...metadata, dataset_split: ['train'] },
      source_run_id: source,
      modified_at: version,
    })
    expect(JSON.stringify(fields.inputs)).toBe(JSON.stringify(inputs))
    expect(Date.parse(fields.created_at)).toBe(Date.parse('2024-05-06T07:08:09.123Z'))
    expect(Object.keys(attachments!).sort()).toEqual(['a note', 'photo.png'])
    expect(await bytesOf(attachments!['photo.png']!)).toEqual(photo)
    expect(attachments!['photo.png']!.mime_type).toBe('image/png')
    expect((await bytesOf(attachments!['a note']!)).toString()).toBe('é\r\n--boundary\r\n\u0000')

    const [listed] = await collect(client.listExamples({ datasetId, includeAttachments: true }))
    const { attachments: listedFiles, ...listedFields } = listed!
    expect(listedFields).toMatchObject(fields)
    expect(await bytesOf(listedFiles!['photo.png']!)).toEqual(photo)
    await expect(client.createExample({ id, dataset_id: datasetId, inputs })).rejects.toMatchObject({
      name: 'LangSmithConflictError',
    })
  })

  it('are created, changed and deleted in bulk, in the order given', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('bulk'))
    const rows = Array.from({ length: 120 }, (_, at) => ({
      dataset_id: datasetId,
      inputs: { at },
      ...(at % 3 === 0 && { outputs: { half: at / 2 } }),
      metadata: { parity: at % 2 === 0 ? 'even' : 'odd' },
    }))
    const created = await client.createExamples(rows)
    expect(created.map(({ inputs, outputs }) => ({ inputs, outputs }))).toEqual(
      rows.map(({ inputs, outputs = null }) => ({ inputs, outputs })),
    )
    expect(new Set(created.map(({ modified_at }) => modified_at)).size).toBe(1)

    const even = await collect(client.listExamples({ datasetId, metadata: { parity: 'even' } }))
    expect(even.map(({ inputs }) => inputs.at).sort((a, b) => a - b)).toEqual(
      rows.flatMap(({ inputs: { at } }) => (at % 2 === 0 ? [at] : [])),
    )
    const odd = await collect(client.listExamples({ datasetId, filter: 'neq(metadata.parity, "even")' }))
    expect(odd).toHaveLength(60)
    const some = [created[7]!.id, created[3]!.id]
    const chosen = await collect(client.listExamples({ datasetId, exampleIds: [...some, randomUUID()] }))
    expect(chosen.map(({ id }) => id).sort()).toEqual([...some].sort())

    const answer = await client.updateExamples([
      { id: created[0]!.id, dataset_id: datasetId, inputs: { at: 'zero' } },
      { id: created[1]!.id, dataset_id: datasetId, metadata: { new: true }, split: ['x'] },
    ])
    expect(answer).toMatchObject({ count: 2, example_ids: [created[0]!.id, created[1]!.id] })
    expect(await client.readExample(created[0]!.id)).toMatchObject({
      inputs: { at: 'zero' },
      outputs: { half: 0 },
      metadata: { parity: 'even', dataset_split: ['base'] },
    })
    expect((await client.readExample(created[1]!.id)).metadata).toEqual({ new: true, dataset_split: ['x'] })

    const twice = [...rows.slice(0, 2), { dataset_id: datasetId, id: created[5]!.id, inputs: {} }]
    await expect(client.createExamples(twice)).rejects.toMatchObject({ name: 'LangSmithConflictError' })
    await client.deleteExample(created[119]!.id)
    expect((await client.readDataset({ datasetId })).example_count).toBe(119)
  })

  it('keep, rename and replace attachments on request', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('files'))
    const text = (content: string): [string, Uint8Array] => ['text/plain', Buffer.from(content)]
    const files = { one: text('1'), two: text('2'), three: text('3') }
    const { id } = await client.createExample({ dataset_id: datasetId, inputs: {}, attachments: files })
    const update = async (change: object) => {
      await client.updateExample({ id, dataset_id: datasetId, ...change })
      const { attachments = {} } = await client.readExample(id)
      const contents = Object.entries(attachments).map(async ([name, file]) => [name, (await bytesOf(file)).toString()])
      return Object.fromEntries(await Promise.all(contents))
    }

    expect(await update({ inputs: { changed: true } })).toEqual({ one: '1', two: '2', three: '3' })
    const operations = { rename: { one: 'uno' }, retain: ['two'] }
    expect(await update({ attachments_operations: operations, attachments: { four: text('4') } })).toEqual({
      uno: '1',
      two: '2',
      four: '4',
    })
    expect(await update({ attachments: { five: text('5') } })).toEqual({ five: '5' })
  })

  it('have the forms of completions and chats', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('forms'))
    const completion = await client.createLLMExample('Hello', 'Hi', { datasetId, metadata: { n: 1 } })
    expect(completion).toMatchObject({ inputs: { input: 'Hello' }, outputs: { output: 'Hi' }, metadata: { n: 1 } })
    const human = { _getType: () => 'human', content: 'Hello', additional_kwargs: {} }
    const ai = { _getType: () => 'ai', content: 'Hi', additional_kwargs: { x: 1 } }
    const chat = await client.createChatExample([human], ai, { datasetId })
    expect(chat.inputs.input).toMatchObject([{ type: 'human', data: { content: 'Hello' } }])
    expect(chat.outputs!.output).toEqual({ type: 'ai', data: { content: 'Hi', additional_kwargs: { x: 1 } } })
  })

  it('refuse what the schema refuses, and store nothing of the request', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('strict'), { inputsSchema: schema })
    const rows = [{ q: 'fine' }, { q: 7 }].map((inputs) => ({ dataset_id: datasetId, inputs }))
    await expect(client.createExamples(rows)).rejects.toThrow(/\[400\].*\bq\b/s)
    expect(await collect(client.listExamples({ datasetId }))).toEqual([])
  })

  it('copy inputs, outputs and attachments of a run', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('runs'))
    const runId = randomUUID()
    const start = new Date().toISOString()
    await client.createRun({
      id: runId,
      trace_id: runId,
      dotted_order: `${start.replaceAll(/[-:.]|Z$/g, '')}000Z${runId}`,
      name: 'source',
      run_type: 'chain',
      start_time: start,
      end_time: start,
      inputs: { q: 'from the run' },
      outputs: { a: 'too' },
      attachments: { scan: ['image/png', Buffer.from('pixels')] },
    })
    await client.awaitPendingTraceBatches()
    const example = await client.createExample({
      dataset_id: datasetId,
      inputs: {},
      source_run_id: runId,
      use_source_run_io: true,
    })
    expect(example).toMatchObject({ inputs: { q: 'from the run' }, outputs: { a: 'too' }, source_run_id: runId })
    expect((await bytesOf(example.attachments!.scan!)).toString()).toBe('pixels')

    expect(await client.readRun(runId)).toMatchObject({ in_dataset: true, reference_dataset_id: null })
    const filter = 'and(eq(in_dataset, true), has(attachments, "scan"))'
    const found = await collect(client.listRuns({ projectName: 'default', filter }))
    expect(found.map(({ id }) => id)).toContain(runId)
  })
})

describe.each(EVERY_CLIENT)('comparative experiments through $name', ({ make }) => {
  it('are created over the dataset of their experiments', async () => {
    const client = make(server.url)
    const dataset = await client.createDataset(aProjectName('exam'))
    const names = [aProjectName('a'), aProjectName('b')]
    const experiments = await Promise.all(
      names.map((projectName) => client.createProject({ projectName, referenceDatasetId: dataset.id })),
    )
    const given = {
      name: 'A vs. B',
      experimentIds: experiments.map(({ id }) => id),
      description: 'which?',
      metadata: { m: 1 },
    }
    const comparison = await client.createComparativeExperiment(given)
    expect(comparison).toMatchObject({
      id: expect.stringMatching(UUID),
      name: 'A vs. B',
      description: 'which?',
      reference_dataset_id: dataset.id,
      tenant_id: dataset.tenant_id,
      extra: { metadata: { m: 1 } },
    })
    const listed = await collect(client.listProjects({ referenceDatasetName: dataset.name }))
    expect(listed.map(({ name }) => name).sort()).toEqual(names.sort())
    await expect(client.createComparativeExperiment({ name: 'none', experimentIds: [] })).rejects.toThrow(
      'At least one experiment is required',
    )
  })
})

describe.each(SEARCHING_CLIENTS)('similar examples through $name', ({ make }) => {
  it('are found best first, within a filter', async () => {
    const client = make(server.url)
    const { id: datasetId } = await client.createDataset(aProjectName('search'))
    const questions = ['population of Paris', 'mayor of Berlin', 'height of the Eiffel tower in Paris']
    await client.createExamples(
      questions.map((q, at) => ({ dataset_id: datasetId, inputs: { q }, outputs: { at }, metadata: { at } })),
    )
    await client.indexDataset({ datasetId })
    const found = await client.similarExamples(
      { q: 'How many people live in Paris? What is its population?' },
      datasetId,
      2,
    )
    expect(found.map(({ inputs }) => inputs.q)).toEqual([questions[0], questions[2]])
    // The Python client of the same days adds its own, and accepts no second one.
    expect(found[0]).not.toHaveProperty('dataset_id')
    expect(found[0]).toMatchObject({ outputs: { at: 0 }, metadata: { at: 0, dataset_split: ['base'] } })
    const [filtered] = await client.similarExamples({ q: 'Paris' }, datasetId, 1, { filter: 'gt(metadata.at, 0)' })
    expect(filtered!.inputs.q).toBe(questions[2])
  })
})

async function bytesOf({ presigned_url }: { presigned_url: string }): Promise<Buffer> {
  const answer = await fetch(presigned_url)
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}
