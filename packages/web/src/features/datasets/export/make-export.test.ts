import { describe, expect, it, vi } from 'vitest'
import { ImportSession } from '../import/import-session.ts'
import { type ExportFormat, makeExport } from './make-export.ts'

interface Example {
  inputs: string
  outputs: string | null
  metadata: string
}

/** JSON texts of examples that are hard to write as CSV. */
const HARD: Example[] = [
  { inputs: '{"q":"plain","n":1,"note":"x"}', outputs: '{"a":"yes"}', metadata: '{"dataset_split":["base"]}' },
  {
    inputs: '{"q":"123","n":"123","note":null}',
    outputs: '{"a":"true"}',
    metadata: '{"topic":"a","dataset_split":["test","x"]}',
  },
  { inputs: '{"q":"","n":12345678901234567890}', outputs: null, metadata: '{"dataset_split":["base"]}' },
  {
    inputs: '{"q":"a,b\\n\\"c\\"\\r\\n  d ","n":[1,{"x":0.1}]}',
    outputs: '{"a":"=1+1","deep":{"b":[]}}',
    metadata: '{"dataset_split":["base"]}',
  },
  { inputs: '{"q":"\\ud83d\\ude00 ä","n":false}', outputs: '{"a":""}', metadata: '{"dataset_split":["base"]}' },
]
const ODD_KEYS: Example[] = [
  { inputs: '{"a.b":1,"":2,"c:json":"x","d?":"y"}', outputs: '{}', metadata: '{"dataset_split":["base"]}' },
  { inputs: '{"__proto__":{"x":1}}', outputs: '{"inputs":{"q":1}}', metadata: '{"dataset_split":["base"]}' },
]
const TEXTS: Example[] = [
  { inputs: '{"question":"Why?"}', outputs: '{"answer":"Because."}', metadata: '{"dataset_split":["base"]}' },
  { inputs: '{"question":"How?"}', outputs: null, metadata: '{"dataset_split":["test"]}' },
]

const print = ({ inputs, outputs, metadata }: Example, index: number) =>
  `{"id":"${index}","inputs":${inputs},"outputs":${outputs},"metadata":${metadata},"created_at":"x","modified_at":"y"}\n`

const streamOf = (text: string) => new Blob([text]).stream()
const exportOf = (examples: readonly Example[], format: ExportFormat, split?: string) =>
  makeExport({ rows: streamOf(examples.map(print).join('')) }, { format, split })

/** The examples that an import of the file sends, with the mapping that it suggests. */
async function importOf(name: string, parts: readonly string[]): Promise<Example[]> {
  const session = new ImportSession(new File([...parts], name))
  const { mapping } = await session.preview({ inputs: [], outputs: [] })
  const report = await session.checkRows(mapping, { inputs: null, outputs: null, isTransformed: false })
  expect(report?.badRows).toEqual([])
  await session.startUpload(mapping, { datasetId: 'd', createdAt: 'now' })
  const part = await session.nextPart()
  const text = new TextDecoder().decode(part?.body.bytes)
  const jsonOf = (part: string) =>
    text.split(`name="${part}"\r\ncontent-type: application/json\r\n\r\n`)[1]?.split('\r\n')[0]
  return (part?.ids ?? []).map((id) => ({
    inputs: jsonOf(`${id}.inputs`) ?? '',
    outputs: jsonOf(`${id}.outputs`) ?? null,
    metadata:
      /"metadata":(\{.*?\}),?(?:"split"|\}$)/.exec(jsonOf(id) ?? '')?.[1] ??
      JSON.stringify(JSON.parse(jsonOf(id) ?? '').metadata),
  }))
}

/** Key order of an object does not matter. */
const sorted = (text: string | null): unknown => {
  if (text === null) return null
  const marked = text.replaceAll(/12345678901234567890/g, '"all digits"')
  return JSON.parse(marked)
}
const contents = (examples: readonly Example[]) =>
  examples.map(({ inputs, outputs, metadata }) => [inputs, outputs, metadata].map(sorted))

describe('export', () => {
  it.each([
    ['csv', 'hard values', HARD],
    ['csv', 'odd keys', ODD_KEYS],
    ['csv', 'texts', TEXTS],
    ['jsonl', 'hard values', HARD],
    ['jsonl', 'odd keys', ODD_KEYS],
  ] as const)('as %s of %s imports as the same examples', async (format, _, examples) => {
    const { parts, count } = await exportOf(examples, format)
    expect(count).toBe(examples.length)
    expect(contents(await importOf(`a.${format}`, parts))).toEqual(contents(examples))
  })

  it('has titles that people understand', async () => {
    const { parts } = await exportOf(TEXTS, 'csv')
    expect(parts.join('')).toBe(
      'inputs.question,outputs.answer?,metadata\n' +
        'Why?,Because.,"{""dataset_split"":[""base""]}"\nHow?,,"{""dataset_split"":[""test""]}"\n',
    )
  })

  it('parses each row twice, whatever the number of columns', async () => {
    const columns = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 'x']))
    const example = { inputs: JSON.stringify(columns), outputs: null, metadata: '{"dataset_split":["base"]}' }
    const parse = vi.spyOn(JSON, 'parse')
    const { count } = await exportOf([example, example, example], 'csv')
    const calls = parse.mock.calls.length
    parse.mockRestore()
    expect([count, calls]).toEqual([3, 6])
  })

  it('keeps only a split', async () => {
    const { parts, count } = await exportOf(TEXTS, 'jsonl', 'test')
    expect(count).toBe(1)
    expect(parts.join('')).toContain('How?')
  })

  it('names the examples that do not fit a format of OpenAI, and leaves them out', async () => {
    const chat = '{"messages":[{"role":"user","content":"hi"}]}'
    const answer = '{"role":"assistant","content":"hello"}'
    const examples: Example[] = [
      { inputs: chat, outputs: answer, metadata: '{}' },
      { inputs: chat, outputs: null, metadata: '{}' },
      { inputs: '{"a":"x","b":"y"}', outputs: answer, metadata: '{}' },
      { inputs: chat, outputs: '{"a":"x","b":"y"}', metadata: '{}' },
      { inputs: chat, outputs: '{"role":"robot","content":"x"}', metadata: '{}' },
    ]
    const user = { role: 'user', content: 'hi' }
    const chats = [
      { messages: [user, { role: 'assistant', content: 'hello' }] },
      { messages: [user] },
      {
        messages: [
          { role: 'user', content: '{"a":"x","b":"y"}' },
          { role: 'assistant', content: 'hello' },
        ],
      },
      { messages: [user, { role: 'assistant', content: '{"a":"x","b":"y"}' }] },
      { messages: [user, { role: 'robot', content: 'x' }] },
    ]
    const made = await makeExport(
      {
        rows: streamOf(examples.map(print).join('')),
        chats: streamOf(chats.map((line) => `${JSON.stringify(line)}\n`).join('')),
      },
      { format: 'openai_ft', split: undefined },
    )
    expect(made.parts.join('')).toBe(`${JSON.stringify(chats[0])}\n`)
    expect(made.misfits).toEqual([
      { row: 2, id: '1', reason: 'there are no reference outputs, so there is no answer' },
      { row: 3, id: '2', reason: 'the inputs are neither messages nor one text' },
      { row: 4, id: '3', reason: 'the outputs are neither messages nor one text' },
      { row: 5, id: '4', reason: 'the conversation does not end with an answer' },
    ])
  })
})
