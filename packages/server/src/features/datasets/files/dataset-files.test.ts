import { contract, type Dataset, type Example } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

type Field = readonly [name: string, value: string]

/** Sends a file with fields beside it, as clients do. */
async function send(path: string, file: { readonly name: string; readonly text: string }, fields: readonly Field[]) {
  const form = new FormData()
  form.append('file', new Blob([file.text], { type: 'text/csv' }), file.name)
  for (const [name, value] of fields) form.append(name, value)
  const response = await app.fetch(path, { method: 'POST', body: form })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) }
}

const upload = (file: { readonly name: string; readonly text: string }, fields: readonly Field[]) =>
  send('/datasets/upload', file, fields)
const csv = (text: string) => ({ name: 'rows.csv', text })
const jsonl = (text: string) => ({ name: 'rows.jsonl', text })

const aName = () => `dataset ${crypto.randomUUID()}`
const QA: readonly Field[] = [
  ['input_keys', 'question'],
  ['output_keys', 'answer'],
]

async function examplesOf(id: string): Promise<Example[]> {
  return (await app.call(contract.examples.list, { query: { dataset: id } })).body
}

const download = async (id: string, format: string, query = '') => {
  const response = await app.fetch(`/datasets/${id}/${format}${query}`)
  return { status: response.status, text: await response.text(), headers: response.headers }
}

describe('upload a file', () => {
  it('creates a dataset from its rows in one version, with cells as strings', async () => {
    const name = aName()
    const id = crypto.randomUUID()
    const text = '\uFEFFquestion,answer,level,unused\n"What, is\n1+1?",2,easy,x\n"say ""hi""",,hard,y\n'
    const answer = await upload(csv(text), [...QA, ['metadata_keys', 'level'], ['name', name], ['id', id]])

    expect(answer.status, answer.text).toBe(200)
    expect(contract.datasetFiles.upload.answer.parse(answer.body)).toMatchObject({
      id,
      name,
      example_count: 2,
      data_type: 'kv',
    })
    expect(await examplesOf(id)).toMatchObject([
      {
        inputs: { question: 'What, is\n1+1?' },
        outputs: { answer: '2' },
        metadata: { level: 'easy', dataset_split: ['base'] },
      },
      {
        inputs: { question: 'say "hi"' },
        outputs: { answer: '' },
        metadata: { level: 'hard', dataset_split: ['base'] },
      },
    ])
    const versions = await app.call(contract.datasetVersions.list, { params: { dataset_id: id } })
    expect(versions.body).toHaveLength(1)
  })

  it('uses the file name by default', async () => {
    const file = { name: `${aName()}.csv`, text: 'question\nwhy\n' }
    expect((await upload(file, [['input_keys', 'question']])).body.name).toBe(file.name)
  })

  it('also decodes an encoded file name', async () => {
    const body = [
      '--X',
      `content-disposition: form-data; name="file"; filename*=utf-8''${encodeURIComponent('Ä.jsonl')}`,
      '',
      '{"a":1}',
      '--X',
      'content-disposition: form-data; name="input_keys"',
      '',
      'a',
      '--X--',
      '',
    ].join('\r\n')
    const headers = { 'content-type': 'multipart/form-data; boundary=X' }
    const answer = await app.fetch('/datasets/upload', { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ name: 'Ä.jsonl', example_count: 1 })
  })

  it('keeps the types and digits of a long line', async () => {
    const name = aName()
    const long = 'ü'.repeat(200_000)
    const file = jsonl(`\uFEFF{"a":{"n":12345678901234567890,"long":"${long}"},"b":[1.0]}\n\n{"a":2,"b":null}\n`)
    const answer = await upload(file, [
      ['name', name],
      ['input_keys', 'a'],
      ['output_keys', 'b'],
    ])
    expect(answer.status, answer.text.slice(0, 300)).toBe(200)
    const { text } = await download(answer.body.id, 'jsonl')
    expect(text).toContain(`{"a":{"n":12345678901234567890,"long":"${long}"}}`)
    expect(text).toContain('{"b":[1.0]}')
  })

  it('keeps the types and digits of JSON lines', async () => {
    const text = '{"n": 12345678901234567890, "list":[1.0, null]}\n\n{"n":"text"}\n'
    const { body } = await upload(jsonl(text), [
      ['input_keys', 'n'],
      ['output_keys', 'list'],
      ['name', aName()],
    ])
    const exported = await download(body.id, 'jsonl')
    expect(exported.text).toContain('"inputs":{"n":12345678901234567890},"outputs":{"list":[1.0, null]}')
    expect(exported.text).toContain('"inputs":{"n":"text"},"outputs":{}')
  })

  it('accepts its own export without keys', async () => {
    const first = await upload(csv('question,answer\na,b\nc,d\n'), [...QA, ['name', aName()]])
    const exported = await download(first.body.id, 'jsonl')
    const second = await upload(jsonl(exported.text), [['name', aName()]])
    expect(second.status, second.text).toBe(200)
    const contents = (examples: Example[]) =>
      examples.map(({ inputs, outputs, metadata }) => ({ inputs, outputs, metadata }))
    expect(contents(await examplesOf(second.body.id))).toEqual(contents(await examplesOf(first.body.id)))
  })

  it('renames columns by mappings', async () => {
    const fields: Field[] = [
      ...QA,
      ['input_key_mappings', '{"question":"q"}'],
      ['output_key_mappings', '{"answer":"a"}'],
    ]
    const { body } = await upload(csv('question,answer\nx,y\n'), [...fields, ['name', aName()]])
    expect(await examplesOf(body.id)).toMatchObject([{ inputs: { q: 'x' }, outputs: { a: 'y' } }])
  })

  it('stores nothing and reports every invalid line', async () => {
    const name = aName()
    const text = 'question,answer\na,b\nonly\n"x\ny",b\none,two,three\n'
    const answer = await upload(csv(text), [...QA, ['name', name]])
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toMatchObject([
      { loc: ['file', 3], msg: 'has 1 cells, the header 2' },
      { loc: ['file', 6], msg: 'has 3 cells, the header 2' },
    ])
    expect((await app.call(contract.datasets.list, { query: { name } })).body).toEqual([])
  })

  it.each([
    ['semicolons', 'question;answer\nwhy, oh why;"a;b"\n', { question: 'why, oh why' }, { answer: 'a;b' }],
    ['tabs', '\uFEFFquestion\tanswer\nwhy\tso\n', { question: 'why' }, { answer: 'so' }],
  ])('recognizes %s', async (_, text, inputs, outputs) => {
    const { body } = await upload(csv(text), [...QA, ['name', aName()]])
    const examples = await app.call(contract.examples.list, { query: { dataset: body.id } })
    expect(examples.body).toMatchObject([{ inputs, outputs }])
  })

  it('reads each of two columns with one title, and NaN in lines of JSON', async () => {
    const fields: Field[] = [
      ['input_keys', 'q'],
      ['output_keys', 'a'],
      ['output_keys', 'a (column 3)'],
      ['name', aName()],
    ]
    const twice = await upload(csv('q,a,a\nx,first,second\n'), fields)
    const list = (dataset: string) => app.call(contract.examples.list, { query: { dataset } })
    expect((await list(twice.body.id)).body).toMatchObject([{ outputs: { a: 'first', 'a (column 3)': 'second' } }])
    const lines = await upload(jsonl('{"inputs":{"x":NaN,"big":12345678901234567890}}\n'), [['name', aName()]])
    expect((await list(lines.body.id)).text).toContain('"inputs":{"x":null,"big":12345678901234567890}')
  })

  it('reports the lines that violate the schema', async () => {
    const name = aName()
    const schema = { properties: { question: { minLength: 3 } } }
    const fields: Field[] = [...QA, ['name', name], ['inputs_schema_definition', JSON.stringify(schema)]]
    const answer = await upload(csv('question,answer\nlong enough,a\nno,b\n'), fields)
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toMatchObject([
      { loc: ['file', 3, 'inputs', 'question'], msg: 'must have at least 3 characters' },
    ])
    expect((await app.call(contract.datasets.list, { query: { name } })).body).toEqual([])
  })

  it.each([
    [
      'a column that is not there',
      csv('a,b\n1,2\n'),
      [
        ['input_keys', 'a'],
        ['output_keys', 'c'],
      ],
      'no column "c"',
    ],
    [
      'a key that no line has',
      jsonl('{"a":1}\n'),
      [
        ['input_keys', 'a'],
        ['output_keys', 'c'],
      ],
      'no column "c"',
    ],
    [
      'a column twice',
      csv('q,a,a\nx,first,second\n'),
      [
        ['input_keys', 'q'],
        ['output_keys', 'a'],
      ],
      'the column "a" more than once (columns 2 and 3)',
    ],
    [
      'a missing column between semicolons',
      csv('q;a\nx;y\n'),
      [['input_keys', 'c']],
      'Read with semicolons between the cells, its columns are "q", "a"',
    ],
    ['a file without a header', csv(''), [['input_keys', 'a']], 'no column "a"'],
    ['no columns', csv('a\n1\n'), [], 'input_keys'],
    ['a quote that never ends', csv('a\n"x\n'), [['input_keys', 'a']], 'Quote Not Closed'],
    [
      'a quote that is never closed',
      csv(`a\n1\n"${'x'.repeat(21 * 1024 * 1024)}\n`),
      [['input_keys', 'a']],
      'is longer than 20 MiB; is a quote not closed?',
    ],
    [
      'a line beyond the limit',
      jsonl(`{"a":"${'x'.repeat(21 * 1024 * 1024)}"}`),
      [['input_keys', 'a']],
      'is longer than',
    ],
    [
      'a long line that is no JSON',
      jsonl(`{"a":"${'x'.repeat(300_000)}"]`),
      [['input_keys', 'a']],
      'is not JSON at byte',
    ],
    ['a long line that is a list', jsonl(`["${'x'.repeat(300_000)}"]`), [['input_keys', 'a']], 'is not a JSON object'],
    ['lines that are no JSON', jsonl('{"a":1}\nnope\n[1]\n'), [['input_keys', 'a']], 'is not JSON'],
    ['lines without inputs', jsonl('{"a":1}\n'), [], 'has no inputs'],
    [
      'a schema that is none',
      csv('a\n1\n'),
      [
        ['input_keys', 'a'],
        ['inputs_schema_definition', '{"type":3}'],
      ],
      'JSON Schema',
    ],
    [
      'an id that is none',
      csv('a\n1\n'),
      [
        ['input_keys', 'a'],
        ['id', 'x'],
      ],
      'uuid',
    ],
    [
      'a type that there is not',
      csv('a\n1\n'),
      [
        ['input_keys', 'a'],
        ['data_type', 'x'],
      ],
      'data_type',
    ],
  ] as [string, { name: string; text: string }, Field[], string][])('rejects %s', async (_, file, fields, message) => {
    const answer = await upload(file, [...fields, ['name', aName()]])
    expect(answer.status, answer.text).toBe(400)
    expect(answer.text).toContain(message.replaceAll('"', '\\"'))
  })

  it('responds with 409 for a taken name', async () => {
    const fields: Field[] = [
      ['input_keys', 'a'],
      ['name', aName()],
    ]
    await upload(csv('a\n1\n'), fields)
    const again = await upload(csv('a\n1\n'), fields)
    expect([again.status, again.body.detail]).toEqual([409, 'Dataset with this name already exists.'])
  })

  it('appends rows to a dataset and returns them in their order', async () => {
    const { body } = await upload(csv('a\n0\n'), [
      ['input_keys', 'a'],
      ['name', aName()],
    ])
    const rows = Array.from({ length: 2500 }, (_, at) => `${at}\n`).join('')
    const added = await send(`/examples/upload/${body.id}`, csv(`a\n${rows}`), [['input_keys', 'a']])
    expect(added.status).toBe(200)
    const examples = contract.datasetFiles.append.answer.parse(added.body)
    expect(examples.map(({ inputs }) => inputs.a)).toEqual(Array.from({ length: 2500 }, (_, at) => String(at)))
    const dataset = await app.call(contract.datasets.read, { params: { dataset_id: body.id } })
    expect(dataset.body.example_count).toBe(2501)

    const elsewhere = await send(`/examples/upload/${crypto.randomUUID()}`, csv('a\n1\n'), [['input_keys', 'a']])
    expect(elsewhere.status).toBe(404)
  })
})

async function aDataset(dataType: Dataset['data_type'], examples: readonly object[]): Promise<string> {
  const { body } = await app.call(contract.datasets.create, { body: { name: aName(), data_type: dataType } })
  const bodies = examples.map((example) => ({ dataset_id: body.id, ...example }))
  const made = await app.call(contract.examples.createMany, { body: bodies })
  expect(made.status, made.text).toBe(200)
  return body.id
}

const lines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe('export a dataset', () => {
  it('as CSV quotes values, prefixes colliding names, and keeps all values', async () => {
    const id = await aDataset('kv', [
      { inputs: { q: '=1+1, "x"\n', id: 1, deep: { a: [1] } }, outputs: { q: ' spaced ' }, metadata: { a: 1 } },
      { inputs: { q: 'plain', more: null }, outputs: null },
    ])
    const [first, second] = await examplesOf(id)
    const { text, headers } = await download(id, 'csv')
    expect(text).toBe(
      [
        'id,q,inputs.id,deep,more,outputs.q,metadata',
        `${first!.id},"=1+1, ""x""\n",1,"{""a"":[1]}",," spaced ","{""a"":1,""dataset_split"":[""base""]}"`,
        `${second!.id},plain,,,null,,"{""dataset_split"":[""base""]}"`,
        '',
      ].join('\n'),
    )
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="dataset .*\.csv"/)
  })

  it('exports the requested version', async () => {
    const id = await aDataset('kv', [{ inputs: { a: 1 } }])
    const tag = (as_of: string) =>
      app.call(contract.datasetVersions.tag, { params: { dataset_id: id }, body: { as_of, tag: 'old' } })
    expect((await tag('latest')).status).toBe(200)
    const [example] = await examplesOf(id)
    await app.call(contract.examples.update, { params: { example_id: example!.id }, body: { inputs: { a: 2 } } })
    expect(lines((await download(id, 'jsonl')).text)).toMatchObject([{ inputs: { a: 2 } }])
    expect(lines((await download(id, 'jsonl', '?as_of=old')).text)).toMatchObject([{ inputs: { a: 1 } }])
    expect((await download(id, 'jsonl', '?as_of=never')).status).toBe(404)
    expect((await download(crypto.randomUUID(), 'csv')).status).toBe(404)
  })

  it('is empty for a dataset without examples', async () => {
    const id = (await app.call(contract.datasets.create, { body: { name: aName() } })).body.id
    expect((await download(id, 'openai_ft')).text).toBe('')
    expect((await download(id, 'csv')).text).toBe('id,metadata\n')
  })

  it('exports all examples over several pages', async () => {
    const rows = Array.from({ length: 3210 }, (_, at) => at)
    const { body } = await upload(csv(`n\n${rows.join('\n')}\n`), [
      ['input_keys', 'n'],
      ['name', aName()],
    ])
    const exported = lines((await download(body.id, 'jsonl')).text)
    expect(exported.map(({ inputs }) => Number(inputs.n))).toEqual(rows)
  })

  it('writes values that are nested too deeply for a conversation unchanged', async () => {
    const inputs = `${'{"a":'.repeat(20_000)}1.0${'}'.repeat(20_000)}`
    const made = await upload(jsonl(`{"inputs":${inputs},"outputs":${inputs}}\n`), [['name', aName()]])
    expect(made.status, made.text.slice(0, 300)).toBe(200)
    const [line] = lines((await download(made.body.id, 'openai_ft')).text)
    expect(line.messages.map(({ content }: { content: string }) => content === inputs)).toEqual([true, true])
    expect(lines((await download(made.body.id, 'openai')).text)[0].ideal).toBe(inputs)
    expect((await download(made.body.id, 'csv')).text).toContain('1.0')
  })

  const HI = { type: 'human', data: { content: 'hi' } }
  const YES = {
    type: 'ai',
    data: { content: 'yes', additional_kwargs: { function_call: { name: 'f', arguments: '{}' } } },
  }
  const CHAT = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'yes' },
  ]
  it.each([
    [
      'chat',
      { inputs: { input: [HI], functions: [{ name: 'f' }] }, outputs: { output: YES } },
      {
        messages: [CHAT[0], { ...CHAT[1], function_call: { name: 'f', arguments: '{}' } }],
        functions: [{ name: 'f' }],
      },
      { input: [CHAT[0]], ideal: 'yes' },
    ],
    [
      'llm',
      { inputs: { input: 'hi' }, outputs: { output: 'yes' } },
      { messages: CHAT },
      { input: [CHAT[0]], ideal: 'yes' },
    ],
    [
      'kv',
      { inputs: { question: 'hi' }, outputs: { answer: 'yes' } },
      { messages: CHAT },
      { input: [CHAT[0]], ideal: 'yes' },
    ],
    [
      'kv',
      { inputs: { messages: [CHAT[0]] }, outputs: CHAT[1] },
      { messages: CHAT },
      { input: [CHAT[0]], ideal: 'yes' },
    ],
    [
      'kv',
      { inputs: { messages: [CHAT[0]] }, outputs: { messages: [CHAT[1]] } },
      { messages: CHAT },
      { input: [CHAT[0]], ideal: 'yes' },
    ],
    [
      'kv',
      { inputs: { a: 1, b: 2 }, outputs: { c: [1] } },
      {
        messages: [
          { role: 'user', content: '{"a":1,"b":2}' },
          { role: 'assistant', content: '{"c":[1]}' },
        ],
      },
      { input: [{ role: 'user', content: '{"a":1,"b":2}' }], ideal: '{"c":[1]}' },
    ],
  ] as [Dataset['data_type'], object, object, object][])(
    'as chats of OpenAI: %s %j',
    async (type, example, fineTuning, evals) => {
      const id = await aDataset(type, [example])
      expect(lines((await download(id, 'openai_ft')).text)).toEqual([fineTuning])
      expect(lines((await download(id, 'openai')).text)).toEqual([evals])
    },
  )
})

describe('clone examples', () => {
  it('copies the selected examples of a version, in one version with new ids', async () => {
    const source = await aDataset('kv', [
      { inputs: { a: 1 }, outputs: { b: 1 }, metadata: { level: 1 }, split: ['train', 'hard'] },
      { inputs: { a: 2 }, split: 'test' },
      { inputs: { a: 3 }, split: 'train' },
    ])
    const target = await aDataset('kv', [{ inputs: { old: true } }])
    const before = await examplesOf(source)
    const at = before[0]!.modified_at
    await app.call(contract.examples.delete, { params: { example_id: before[0]!.id } })

    const clone = (body: object) =>
      app.call(contract.datasetFiles.clone, { body: { source_dataset_id: source, target_dataset_id: target, ...body } })
    const cloned = await clone({ as_of: at, split: 'train' })

    expect(cloned.status, cloned.text).toBe(200)
    expect(cloned.body).toMatchObject([
      {
        dataset_id: target,
        inputs: { a: 1 },
        outputs: { b: 1 },
        metadata: { level: 1, dataset_split: ['train', 'hard'] },
      },
      { dataset_id: target, inputs: { a: 3 }, outputs: null, metadata: { dataset_split: ['train'] } },
    ])
    expect(new Set(cloned.body.map(({ modified_at }) => modified_at)).size).toBe(1)
    expect(before.map(({ id }) => id)).not.toContain(cloned.body[0]!.id)
    expect((await clone({ examples: [before[1]!.id] })).body).toMatchObject([{ inputs: { a: 2 } }])
    expect((await clone({ examples: [before[0]!.id] })).status).toBe(404)
    expect((await clone({ split: 'unknown' })).body).toEqual([])
    expect((await clone({ source_dataset_id: crypto.randomUUID() })).status).toBe(404)
  })

  it('copies attachments', async () => {
    const source = await aDataset('kv', [])
    const target = await aDataset('kv', [])
    const id = crypto.randomUUID()
    const form = new FormData()
    form.append(id, new Blob(['{}'], { type: 'application/json' }))
    form.append(`${id}.inputs`, new Blob(['{"a":1}'], { type: 'application/json' }))
    form.append(`${id}.attachment.photo.png`, new Blob(['bytes'], { type: 'image/png' }))
    const made = await app.fetch(`/v1/platform/datasets/${source}/examples`, { method: 'POST', body: form })
    expect(made.status).toBe(201)

    const cloned = await app.call(contract.datasetFiles.clone, {
      body: { source_dataset_id: source, target_dataset_id: target },
    })
    const copy = await app.call(contract.examples.read, { params: { example_id: cloned.body[0]!.id } })
    const url = copy.body.attachment_urls!['attachment.photo.png']!.presigned_url
    expect(await (await fetch(url)).text()).toBe('bytes')
  })
})
