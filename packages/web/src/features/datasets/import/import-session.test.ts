import { describe, expect, it } from 'vitest'
import type { DatasetSchemas } from './check-schema.ts'
import type { FileOptions } from './detect-file.ts'
import { ImportSession } from './import-session.ts'
import type { ColumnMapping, Mapping } from './mapping.ts'

const NONE = { inputs: [], outputs: [] }
const ANY: DatasetSchemas = { inputs: null, outputs: null, isTransformed: false }
const TARGET = { datasetId: '018f0000-0000-7000-8000-000000000000', createdAt: '2026-01-01T00:00:00.000Z' }

const open = (name: string, content: BlobPart) => new ImportSession(new File([content], name))

async function previewOf(name: string, content: BlobPart, options?: FileOptions) {
  return open(name, content).preview(NONE, options)
}

/** Mappings as `column → target.path (kind)`. */
const describeMapping = (mapping: Mapping) =>
  mapping.map(({ column, target, path, kind }) => `${column} → ${target}${path && `.${path}`} (${kind})`)

/** The examples of all requests of an import. */
async function sentBy(session: ImportSession, mapping: Mapping) {
  await session.startUpload(mapping, TARGET)
  const parts: { ids: readonly string[]; text: string }[] = []
  for (;;) {
    const part = await session.nextPart()
    if (part === undefined) return parts
    parts.push({ ids: part.ids, text: new TextDecoder().decode(part.body.bytes) })
  }
}

const jsonOf = (text: string, name: string) =>
  text.split(`name="${name}"\r\ncontent-type: application/json\r\n\r\n`)[1]?.split('\r\n')[0]

describe('import: what a file is', () => {
  it.each([
    ['a.csv', 'q,a\n1,2\n', 'csv', ','],
    ['a.csv', 'q;a\n1,5;2\n2,5;3\n', 'csv', ';'],
    ['a.tsv', 'q\ta\n1\t2\n', 'csv', '\t'],
    ['a.txt', '{"q":1}\n{"q":2}\n', 'jsonl', ','],
    ['a.json', '[{"q":1}]', 'json', ','],
    ['a.json', '{"q":1}\n{"q":2}\n', 'jsonl', ','],
    ['a.json', '{\n "examples": [{"q":1}]}', 'json', ','],
    ['a', '[{"q":1}]', 'json', ','],
  ])('detects %s with %j as %s', async (name, content, format, delimiter) => {
    expect((await previewOf(name, content)).options).toMatchObject({ format, delimiter })
  })

  it.each([
    ['UTF-8', new TextEncoder().encode('q,a\nÄ,b\n'), 'utf-8'],
    ['Windows-1252', Uint8Array.from([0x71, 0x2c, 0x61, 0x0a, 0xc4, 0x2c, 0x62, 0x0a]), 'windows-1252'],
    ['UTF-16 with a mark', new Uint8Array([0xff, 0xfe, ...utf16('q,a\nÄ,b\n')]), 'utf-16le'],
  ])('detects %s', async (_, bytes, encoding) => {
    const { options, columns } = await previewOf('a.csv', bytes)
    expect(options.encoding).toBe(encoding)
    expect(columns).toEqual([
      { column: 'q', sample: 'Ä' },
      { column: 'a', sample: 'b' },
    ])
  })
})

function utf16(text: string): number[] {
  return Array.from(text).flatMap((character) => [character.charCodeAt(0) & 255, character.charCodeAt(0) >> 8])
}

describe('import: the suggested mapping', () => {
  it('recognizes names and kinds of CSV columns', async () => {
    const content =
      'id,question,expected_answer,split,topic,score,ok,meta,import_problem\n1,Why?,So,test,auth,0.5,true,"{""a"":1}",x\n'
    expect(describeMapping((await previewOf('a.csv', content)).mapping)).toEqual([
      'id → skip.id (number)',
      'question → inputs.question (text)',
      'expected_answer → outputs.expected_answer (text)',
      'split → split (text)',
      'topic → metadata.topic (text)',
      'score → inputs.score (number)',
      'ok → inputs.ok (boolean)',
      'meta → inputs.meta (json)',
      'import_problem → skip.import_problem (text)',
    ])
  })

  it('follows the keys of the dataset', async () => {
    const { mapping } = await open('a.csv', 'answer,topic\nx,y\n').preview({ inputs: ['answer'], outputs: ['topic'] })
    expect(describeMapping(mapping)).toEqual(['answer → inputs.answer (text)', 'topic → outputs.topic (text)'])
  })

  it('takes inputs, outputs and metadata of our own lines whole', async () => {
    const line = '{"id":"1","inputs":{"q":1},"outputs":null,"metadata":{"dataset_split":["test"]},"created_at":"x"}\n'
    expect(describeMapping((await previewOf('a.jsonl', line)).mapping)).toEqual([
      'id → skip.id (json)',
      'inputs → inputs (json)',
      'outputs → outputs (json)',
      'metadata → metadata (json)',
      'created_at → skip.created_at (json)',
    ])
  })

  it.each([
    ['a.csv', 'inputs,outputs,metadata\nWhy?,Because.,auth\n', 'text'],
    ['a.jsonl', '{"inputs":"Why?","outputs":"Because.","metadata":"auth"}\n', 'json'],
  ])('takes texts in inputs, outputs and metadata of %s as values', async (name, content, kind) => {
    const session = open(name, content)
    const { mapping } = await session.preview(NONE)
    expect(describeMapping(mapping)).toEqual([
      `inputs → inputs.inputs (${kind})`,
      `outputs → outputs.outputs (${kind})`,
      `metadata → metadata.metadata (${kind})`,
    ])
    expect(await session.checkRows(mapping, ANY)).toMatchObject({ good: 1, bad: 0 })
  })

  it('takes inputs whole when only some of their objects are broken', async () => {
    const { mapping } = await previewOf('a.csv', 'inputs\n"{""q"":1}"\n"{""q"":"\n')
    expect(describeMapping(mapping)).toEqual(['inputs → inputs (json)'])
  })

  it('keeps a dot in a key of JSON', async () => {
    const { mapping } = await previewOf('a.jsonl', '{"a.b":1}\n')
    expect(describeMapping(mapping)).toEqual(['a.b → inputs.a\\.b (json)'])
  })
})

describe('import: checking rows', () => {
  it('names every bad row with its reasons', async () => {
    const content = 'question,score\nfine,1\n"a ""quoted"" question",x\nonly one\n"open,2\n'
    const session = open('a.csv', content)
    const { mapping } = await session.preview(NONE)
    const numeric = mapping.map((one) => (one.column === 'score' ? { ...one, kind: 'number' as const } : one))
    const report = await session.checkRows(numeric, ANY)
    expect(report).toMatchObject({ good: 1, bad: 3 })
    expect(report?.badRows.map(({ number, problems }) => [number, ...problems])).toEqual([
      [3, 'score: “x” is not a number'],
      [4, 'has 1 cell, the header has 2'],
      [5, 'has a quote that is not closed'],
    ])
  })

  it('checks the schemas of the dataset and names the place', async () => {
    const session = open('a.jsonl', '{"q":"a","n":1}\n{"q":5,"extra":true}\n[1]\n{broken\n')
    const { mapping } = await session.preview(NONE)
    const inputs = {
      type: 'object' as const,
      properties: { q: { type: 'string' as const }, n: {} },
      required: ['n'],
      additionalProperties: false,
    }
    const report = await session.checkRows(mapping, { ...ANY, inputs })
    expect(report?.good).toBe(1)
    const [schema, list, broken] = report?.badRows ?? []
    expect(schema?.number).toBe(2)
    expect(schema?.problems.join('\n')).toContain('inputs.q')
    expect(schema?.problems.join('\n')).toContain('"n"')
    expect(schema?.problems.join('\n')).toContain('extra')
    expect(list?.problems).toEqual(['is not a JSON object'])
    expect(broken?.problems[0]).toMatch(/^is not JSON/)
  })

  it('accepts what the server accepts: formats are not checked, and unknown references are left to it', async () => {
    const session = open('a.jsonl', '{"mail":"not an address","format":"x","message":1}\n')
    const { mapping } = await session.preview(NONE)
    const properties = { mail: { type: 'string' as const, format: 'email' }, format: { type: 'string' as const } }
    expect(await session.checkRows(mapping, { ...ANY, inputs: { properties } })).toMatchObject({ good: 1 })
    const remote = { properties: { message: { $ref: 'https://example.com/message.json' } } }
    expect(await session.checkRows(mapping, { ...ANY, inputs: remote })).toMatchObject({ good: 1 })
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { message: { type: 'string' as const } },
    }
    expect(await session.checkRows(mapping, { ...ANY, inputs: draft7 })).toMatchObject({ bad: 1 })
  })

  it('accepts a fixed row and writes the others to a file that imports again', async () => {
    const session = open('a.csv', 'q,n\na,1\nb,x\nc,y\n')
    const { mapping } = await session.preview(NONE)
    const numeric = mapping.map((one) => (one.column === 'n' ? { ...one, kind: 'number' as const } : one))
    await session.checkRows(numeric, ANY)
    expect(await session.fixRow(3, ['b', 'z'], numeric)).toEqual(['n: “z” is not a number'])
    expect(await session.fixRow(3, ['b', '2'], numeric)).toEqual([])
    expect(await session.printBadRows()).toBe('q,n,import_problem\nc,y,n: “y” is not a number\n')
    const [part] = await sentBy(session, numeric)
    expect(part?.ids.map((id) => jsonOf(part.text, `${id}.inputs`))).toEqual(['{"q":"a","n":1}', '{"q":"b","n":2}'])
  })
})

describe('import: sending', () => {
  const map = (
    column: string,
    target: ColumnMapping['target'],
    path: string,
    kind: ColumnMapping['kind'] = 'text',
  ) => ({
    column,
    target,
    path,
    kind,
  })

  it('builds nested keys, whole objects, metadata and splits, and keeps every digit', async () => {
    const session = open('a.csv', 'a,b,c,d,e\n12345678901234567890,yes,"{""x"":1.10}",test,\n')
    await session.preview(NONE)
    const [part] = await sentBy(session, [
      map('a', 'inputs', 'user.id', 'number'),
      map('b', 'inputs', 'user.name'),
      map('c', 'outputs', '', 'json'),
      map('d', 'split', ''),
      map('e', 'metadata', 'note', 'optional-text'),
    ])
    const id = part?.ids[0] ?? ''
    expect(jsonOf(part?.text ?? '', `${id}.inputs`)).toBe('{"user":{"id":12345678901234567890,"name":"yes"}}')
    expect(jsonOf(part?.text ?? '', `${id}.outputs`)).toBe('{"x":1.1}')
    expect(JSON.parse(jsonOf(part?.text ?? '', id) ?? '')).toEqual({
      dataset_id: TARGET.datasetId,
      created_at: TARGET.createdAt,
      split: ['test'],
    })
  })

  it('shows every digit of a sample', async () => {
    const { columns } = await open('a.jsonl', '{"n":12345678901234567890}\n').preview(NONE)
    expect(columns).toEqual([{ column: 'n', sample: '12345678901234567890' }])
  })

  it('sends parts of 1,000 examples with ids of their own, and leaves refused rows out', async () => {
    const lines = Array.from({ length: 2_500 }, (_, index) => `{"n":${index}}\n`).join('')
    const session = open('a.jsonl', lines)
    const { mapping } = await session.preview(NONE)
    await session.checkRows(mapping, ANY)
    const parts = await sentBy(session, mapping)
    expect(parts.map(({ ids }) => ids.length)).toEqual([1_000, 1_000, 500])
    expect(new Set(parts.flatMap(({ ids }) => ids)).size).toBe(2_500)

    await session.startUpload(mapping, TARGET)
    const first = await session.nextPart()
    const left = await session.refuse({ [first?.ids[4] ?? '']: 'inputs.n: is forbidden' })
    expect(left?.ids).toEqual(first?.ids.filter((_, index) => index !== 4))
    expect(await session.listBad()).toEqual({
      bad: 1,
      badRows: [{ number: 5, source: '{"n":4}', problems: ['inputs.n: is forbidden'] }],
    })
  })

  it('does not touch prototypes', async () => {
    const session = open('a.jsonl', '{"__proto__":{"polluted":1},"constructor":2}\n')
    const { mapping } = await session.preview(NONE)
    const [part] = await sentBy(session, mapping)
    expect(jsonOf(part?.text ?? '', `${part?.ids[0]}.inputs`)).toBe('{"__proto__":{"polluted":1},"constructor":2}')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('reads quoted line breaks and characters that are cut between two pieces of the file', async () => {
    const row = (index: number) => `"Frage ${index} – ä\nzweite Zeile","😀${index}"\r\n`
    const rows = Array.from({ length: 20_000 }, (_, index) => row(index)).join('')
    const session = open('a.csv', `question,answer\r\n${rows}`)
    const { mapping } = await session.preview(NONE)
    expect(await session.checkRows(mapping, ANY)).toMatchObject({ good: 20_000, bad: 0 })
    const parts = await sentBy(session, mapping)
    const last = parts.at(-1)
    const id = last?.ids.at(-1) ?? ''
    expect(jsonOf(last?.text ?? '', `${id}.inputs`)).toBe('{"question":"Frage 19999 – ä\\nzweite Zeile"}')
    expect(jsonOf(last?.text ?? '', `${id}.outputs`)).toBe('{"answer":"😀19999"}')
  })
})
