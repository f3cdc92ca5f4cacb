import { describe, expect, it } from 'vitest'
import {
  getColumnLabel,
  getDefaultColumns,
  isShortColumn,
  listColumns,
  listKeys,
  parseColumnId,
  readContent,
  readSplits,
  toCellText,
  toColumnId,
  toShownColumns,
} from './columns.ts'

const examples = [
  {
    inputs: { question: 'a', locale: 'en' },
    outputs: { answer: 1 },
    metadata: { dataset_split: ['test'], topic: 'x' },
  },
  { inputs: { question: 'b', extra: true }, outputs: null },
]
const keys = listKeys(examples, { inputs: { properties: { context: {}, question: {} } } })

describe('columns of examples', () => {
  it('come from the schema, then from the data, without the splits', () => {
    expect(keys).toEqual({
      inputs: ['context', 'question', 'locale', 'extra'],
      outputs: ['answer'],
      metadata: ['topic'],
    })
    expect(getDefaultColumns(keys)).toEqual([
      'inputs.context',
      'inputs.question',
      'inputs.locale',
      'outputs.answer',
      'split',
      'metadata.topic',
      'modified',
    ])
    expect(listColumns(keys)).toContain('inputs.extra')
  })

  it('show whole inputs and outputs where no example has a key', () => {
    expect(getDefaultColumns(listKeys([]))).toEqual(['inputs', 'outputs', 'split', 'modified'])
  })

  it.each(['plain', 'with, comma', '100%', 'a.b', '__proto__'])('keep the key %j in their id', (key) => {
    const id = toColumnId({ section: 'inputs', key })
    expect(id).not.toContain(',')
    expect(parseColumnId(id)).toEqual({ section: 'inputs', key })
    expect(getColumnLabel(id)).toBe(`Input.${key}`)
  })

  it('are those of the URL, without unknown ones', () => {
    expect(toShownColumns('split,nonsense,inputs.%E0%,outputs,split', keys)).toEqual(['split', 'outputs'])
    expect(toShownColumns('nonsense', keys)).toEqual(getDefaultColumns(keys))
  })
})

describe('a cell of an example', () => {
  it('shows the value of its column, and nothing where there is none', () => {
    const [first, second] = examples
    expect(readContent(first!, { section: 'inputs', key: 'locale' })).toBe('en')
    expect(readContent(second!, { section: 'outputs', key: 'answer' })).toBeUndefined()
    expect(readContent(first!, { section: 'inputs', key: 'toString' })).toBeUndefined()
    expect(readContent(first!, { section: 'metadata', key: undefined })).toEqual({ topic: 'x' })
    expect([readSplits(first!), readSplits(second!)]).toEqual([['test'], []])
  })

  it.each([
    ['text\nas it is', 'text\nas it is'],
    [{ a: [1, 'x', null], b: {} }, '{"a": [1, "x", null], "b": {}}'],
    [
      [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
      ],
      'user: Hi',
    ],
    [[{ type: 'human', content: [{ text: 'Hi' }] }], '[{"type": "human", "content": [{"text": "Hi"}]}]'],
    [0, '0'],
    [null, 'null'],
    [undefined, ''],
  ])('prints %j', (value, text) => {
    expect(toCellText(value)).toBe(text)
  })

  it('is short for values of any size', () => {
    const large = Array.from({ length: 100_000 }, (_, at) => ({ at, text: 'x'.repeat(1_000) }))
    expect(toCellText(large).length).toBeLessThan(400)
    expect(toCellText('x'.repeat(1_000_000)).length).toBe(300)
  })

  it('is narrow where all values of its column are short', () => {
    const rows = [{ inputs: { n: 12, text: 'a long sentence' } }, { inputs: {} }]
    expect(isShortColumn(rows, { section: 'inputs', key: 'n' })).toBe(true)
    expect(isShortColumn(rows, { section: 'inputs', key: 'text' })).toBe(false)
  })
})
