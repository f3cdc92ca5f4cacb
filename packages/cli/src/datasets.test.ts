import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await Terminal.open()
}, 90_000)
afterAll(() => terminal?.close())

const touchstone = (...args: string[]) => terminal.run(...args)

/** A file in the terminal's folder. */
function aFile(name: string, text: string): string {
  const path = join(terminal.folder, name)
  writeFileSync(path, text)
  return path
}

async function examplesOf(name: string) {
  const lines = (await touchstone('datasets', 'export', name, '--json')).json()
  return lines.sort((one: { inputs: { q: string } }, other: { inputs: { q: string } }) =>
    one.inputs.q < other.inputs.q ? -1 : 1,
  )
}

describe('datasets on the command line', () => {
  it('are created from a CSV file with quotes and line breaks in cells', async () => {
    const file = aFile('sums.csv', '\uFEFFq,a,level\r\n1+1,2,easy\r\n"2, or ""two""\nplus 2",4,hard\r\n')
    const columns = ['--inputs', 'q', '--outputs', 'a', '--metadata', 'level', '--split', 'train']
    const upload = await touchstone('datasets', 'upload', file, ...columns)
    expect(upload).toMatchObject({ code: 0, stderr: expect.stringContaining('2 examples to the new dataset "sums"') })

    const list = (await touchstone('datasets', 'list', '--json')).json()
    expect(list).toMatchObject([{ id: upload.stdout.trim(), name: 'sums', example_count: 2 }])
    expect(await examplesOf('sums')).toMatchObject([
      { inputs: { q: '1+1' }, outputs: { a: '2' }, metadata: { level: 'easy', dataset_split: ['train'] } },
      { inputs: { q: '2, or "two"\nplus 2' }, outputs: { a: '4' }, metadata: { level: 'hard' } },
    ])
  })

  it('are extended by a JSONL file in batches of 1,000 rows', async () => {
    const id = '9c2e2d4e-51b0-4b63-9d0c-7a0b1f0c2201'
    const rows = Array.from({ length: 1500 }, (_, at) => ({ inputs: { q: at }, ...(at === 0 && { id, split: 'own' }) }))
    const file = aFile('many.jsonl', `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
    expect((await touchstone('datasets', 'create', 'grown', '--description', 'x')).code).toBe(0)
    const upload = await touchstone('datasets', 'upload', file, 'grown', '--split', 'rest', '--json')
    expect(upload.json()).toMatchObject({ name: 'grown', count: 1500 })
    const versions = (await touchstone('datasets', 'versions', 'grown', '--json')).json()
    expect(versions).toMatchObject([{ as_of: upload.json().as_of, tags: ['latest'] }, { tags: [] }])
    const first = (await touchstone('datasets', 'versions', 'grown', '--example', id, '--json')).json()
    expect(first).toEqual([versions[1]])
  })

  it('are extended by lines with NaN, which are null, with a note', async () => {
    const lines = [
      '{"inputs":{"q":"NaN"}}',
      '{"inputs":{"q":NaN},"outputs":{"a":[-Infinity]}}',
      '',
      '{"inputs":{"q":Infinity}}',
    ]
    const upload = await touchstone('datasets', 'upload', aFile('nan.jsonl', lines.join('\n')), 'with NaN')
    expect(upload).toMatchObject({ code: 0 })
    expect(upload.stderr).toContain(
      'NaN and Infinity are stored as null on 2 lines, the first is line 2 (inputs, outputs).',
    )
    const exported = await touchstone('datasets', 'export', 'with NaN')
    const stored = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(stored.map(({ inputs, outputs }) => [inputs.q, outputs?.a])).toEqual([
      ['NaN', undefined],
      [null, [null]],
      [null, undefined],
    ])
    const broken = await touchstone('datasets', 'upload', aFile('nan2.jsonl', '{"inputs":{"q":NaN}'), 'with NaN')
    expect(broken.stderr).toContain('Line 1 is not a JSON object.')
  })

  it('report the invalid line of a file, and how much of it is stored', async () => {
    const good = Array.from({ length: 1000 }, (_, at) => `{"inputs":{"at":${at}}}`).join('\n')
    const file = aFile('half.jsonl', `${good}\nnot JSON\n`)
    const upload = await touchstone('datasets', 'upload', file)
    expect(upload).toMatchObject({ code: 2, stdout: '' })
    expect(upload.stderr).toContain('Line 1001 is not a JSON object.')
    expect(upload.stderr).toContain('1000 examples were stored before this.')
  })

  it.each([
    ['CSV without columns', 'a.csv', 'q\n1\n', [], 'A CSV file needs --inputs.'],
    ['a missing column', 'b.csv', 'q\n1\n', ['--inputs', 'x'], 'The file has no column "x".'],
    ['a row that is too short', 'c.csv', 'q,a\n1\n', ['--inputs', 'q'], 'Line 2 has 1 cells, the first line has 2.'],
    ['an unclosed quote', 'd.csv', 'q\n"1\n', ['--inputs', 'q'], 'is never closed'],
    ['a line without inputs', 'e.jsonl', '\n{"q":1}\n', [], 'Line 2 has no object "inputs"'],
    [
      'a number that would change',
      'g.jsonl',
      '{"inputs":{"n":12345678901234567890}}',
      [],
      'Line 1: 12345678901234567890 has more',
    ],
    ['--outputs without --inputs', 'f.jsonl', '{}', ['--outputs', 'a'], '--outputs and --metadata need --inputs.'],
  ])('refuse %s', async (_, name, text, flags, message) => {
    const answer = await touchstone('datasets', 'upload', aFile(name, text), ...flags)
    expect(answer).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  })

  it('are compared at two versions, by time and by tag', async () => {
    const upload = (text: string) => touchstone('datasets', 'upload', aFile('one.jsonl', text), 'tagged', '--json')
    await upload('{"inputs":{"q":1}}')
    const [{ as_of }] = (await touchstone('datasets', 'versions', 'tagged', '--json')).json()
    const tagged = await touchstone('datasets', 'tag', 'tagged', 'first')
    expect(tagged).toMatchObject({ code: 0, stdout: `${as_of}\n` })
    await upload('{"inputs":{"q":2}}\n{"inputs":{"q":3}}')
    const diff = await touchstone('datasets', 'diff', 'tagged', 'first')
    expect(diff.stdout).toMatch(/^\+ [0-9a-f-]{36}\n\+ [0-9a-f-]{36}\n$/)
    expect(diff.stderr).toBe('2 added, 0 removed, 0 changed.\n')
    const old = await touchstone('datasets', 'export', 'tagged', '--as-of', 'first', '--json')
    expect(old.json()).toMatchObject([{ inputs: { q: 1 } }])
  })

  it('are exported in several formats, also to a file', async () => {
    await touchstone('datasets', 'upload', aFile('qa.csv', 'q,a\nwhy,so\n'), '--inputs', 'q', '--outputs', 'a')
    const path = join(terminal.folder, 'out.csv')
    expect(await touchstone('datasets', 'export', 'qa', '--format', 'csv', '--output', path)).toMatchObject({
      stdout: '',
    })
    expect(await readFile(path, 'utf8')).toContain('why,so')
    const chat = await touchstone('datasets', 'export', 'qa', '--format', 'openai_ft')
    expect(chat.json()).toMatchObject({ messages: [{ content: 'why' }, { content: 'so' }] })
    expect((await touchstone('datasets', 'export', 'qa', '--format', 'csv', '--json')).code).toBe(2)
  })

  it('are shared by a link, and unshared', async () => {
    await touchstone('datasets', 'create', 'open')
    const { dataset_id, share_token, url } = (await touchstone('datasets', 'share', 'open', '--json')).json()
    expect(url).toBe(`${terminal.endpoint}/public/${share_token}/d`)
    const read = () => fetch(`${terminal.endpoint}/public/${share_token}/datasets`)
    expect(await (await read()).json()).toMatchObject({ id: dataset_id, name: 'open' })
    expect((await touchstone('datasets', 'share', dataset_id, '--stop')).code).toBe(0)
    expect((await read()).status).toBe(404)
  })

  it('are deleted only with --yes', async () => {
    await touchstone('datasets', 'create', 'short-lived')
    expect((await touchstone('datasets', 'create', 'short-lived')).code).toBe(5)
    expect((await touchstone('datasets', 'delete', 'short-lived')).code).toBe(2)
    expect((await touchstone('datasets', 'delete', 'short-lived', '--yes')).code).toBe(0)
    expect((await touchstone('datasets', 'delete', 'short-lived', '--yes')).code).toBe(3)
  })
})
