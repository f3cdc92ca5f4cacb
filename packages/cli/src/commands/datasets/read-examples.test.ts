import { describe, expect, it } from 'vitest'
import { type ReadOptions, readCsvRecords, readExamples } from './read-examples.ts'

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

async function* pieces(...texts: string[]) {
  yield* texts
}

describe('CSV records', () => {
  it.each([
    ['a,b\n1,2\n', [1, ['a', 'b']], [2, ['1', '2']]],
    ['a,b\r\n1,\r\n', [1, ['a', 'b']], [2, ['1', '']]],
    ['"a ""b""",""\n', [1, ['a "b"', '']]],
    ['"two\r\nlines",x\nnext,y', [1, ['two\r\nlines', 'x']], [3, ['next', 'y']]],
    ['\n\na\n\n', [3, ['a']]],
    ['a"b,c\n', [1, ['a"b', 'c']]],
    ['\uFEFFé,🙂\n', [1, ['é', '🙂']]],
    ['""\n', [1, ['']]],
    [',\n', [1, ['', '']]],
    ['', ...[]],
  ])('are read from %j wherever the chunks are split', async (text, ...expected) => {
    const records = expected.map(([line, cells]) => ({ line, cells }))
    expect(await collect(readCsvRecords(pieces(text)))).toEqual(records)
    const characters = [...text]
    for (let at = 1; at < characters.length; at++) {
      const [start, end] = [characters.slice(0, at).join(''), characters.slice(at).join('')]
      expect(await collect(readCsvRecords(pieces(start, end)))).toEqual(records)
    }
  })

  it.each([['"a\n'], ['"a"b\n']])('with invalid quotes are rejected: %j', async (text) => {
    await expect(collect(readCsvRecords(pieces(text)))).rejects.toThrow(/quote/)
  })
})

describe('CSV rows', () => {
  const read = (text: string, inputs: string[], outputs: string[] = []) =>
    collect(
      readExamples(pieces(...text), { isCsv: true, columns: { inputs, outputs, metadata: [] }, split: undefined }),
    )

  it.each(['q,a\nx,y\n', 'q;a\nx;y\n', '\uFEFFq\ta\r\nx\ty\r\n', ' q |a\nx|y'])('are read from %j', async (text) => {
    expect(await read(text, ['q'], ['a'])).toEqual([{ inputs: { q: 'x' }, outputs: { a: 'y' } }])
  })

  it('have a name for each column, and a title that two of them have is refused', async () => {
    const text = 'q,a,a\nx,first,second\n'
    await expect(read(text, ['q'], ['a'])).rejects.toThrow('the column "a" more than once (columns 2 and 3)')
    expect(await read(text, ['q'], ['a', 'a (column 3)'])).toEqual([
      { inputs: { q: 'x' }, outputs: { a: 'first', 'a (column 3)': 'second' } },
    ])
    await expect(read('q;a\nx;y\n', ['c'])).rejects.toThrow('Read with semicolons')
  })
})

describe('JSONL rows', () => {
  const plain: ReadOptions = { isCsv: false, columns: undefined, split: undefined }
  const rows = (text: string, options = plain) => collect(readExamples(pieces(...text), options))

  it('are examples, without unknown members', async () => {
    const line = '{"id":"x","inputs":{"q":1},"outputs":null,"split":["a"],"name":"#1","modified_at":"now"}'
    expect(await rows(`\uFEFF${line}\r\n\n${line}`)).toEqual([
      { id: 'x', inputs: { q: 1 }, outputs: null, split: ['a'] },
      { id: 'x', inputs: { q: 1 }, outputs: null, split: ['a'] },
    ])
  })

  it('are mapped by columns when columns are given', async () => {
    const columns = { inputs: ['q'], outputs: [], metadata: ['m'] }
    expect(await rows('{"q":{"deep":1},"m":2,"z":3}', { ...plain, columns, split: 's' })).toEqual([
      { inputs: { q: { deep: 1 } }, metadata: { m: 2 }, split: 's' },
    ])
  })

  it.each([
    ['{"inputs":{"n":9007199254740993}}', '9007199254740993'],
    ['{"inputs":{"n":[-12345678901234567]}}', '-12345678901234567'],
  ])('are rejected when an integer would change: %s', async (text, number) => {
    await expect(rows(text)).rejects.toThrow(`Line 1: ${number} has more digits`)
  })

  it('may contain long numbers in strings, and fractions', async () => {
    const text = '{"inputs":{"a \\"12345678901234567890":"12345678901234567890","f":0.12345678901234567,"e":1e300}}'
    expect(await rows(text)).toEqual([JSON.parse(text)])
  })
})
