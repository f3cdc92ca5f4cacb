import { JsonProblem, JsonTooComplex } from '@touchstone/formats/scan-json'
import { expect, it } from 'vitest'
import { scanJson } from './in-slices.ts'
import { parseInSlices } from './parse-in-slices.ts'

const long = 'é"\\\n'.repeat(50_000)

it.each([
  ['a list of small values', Array.from({ length: 200_000 }, (_, at) => at / 3)],
  ['a list of large values', Array.from({ length: 5 }, (_, at) => ({ at, text: long }))],
  ['large members', { examples: [{ inputs: { long } }, {}], [long.slice(0, 100)]: null, '': [long, true] }],
  ['a large string', long.repeat(3)],
  ['nested lists', [[[[[[[[long, long, 1e21, -0.5]]]]]]], {}]],
])('parses %s as JSON.parse does', async (_, value) => {
  const text = ` ${JSON.stringify(value, null, 1)}\n`
  expect(await parseInSlices(Buffer.from(text))).toEqual(JSON.parse(text))
})

it('keeps __proto__ as a key and the last of two equal keys', async () => {
  const text = `{"__proto__": {"a": "${'x'.repeat(300_000)}"}, "b": 1, "b": 2}`
  const parsed = (await parseInSlices(Buffer.from(text))) as object
  expect(Object.keys(parsed)).toEqual(['__proto__', 'b'])
  expect(parsed).toEqual(JSON.parse(text))
})

it.each(['[1,]', '{"a":1', '"\\u12g4"', '[01]', '{"a":1}}', '', '[1]\u0000', '-', '{"a"}', '[tru]', '"a\tb"'])(
  'refuses %j as JSON.parse does',
  async (text) => {
    expect(() => JSON.parse(text)).toThrow()
    await expect(parseInSlices(Buffer.from(text))).rejects.toThrow(JsonProblem)
  },
)

it('refuses shapes that no client sends', async () => {
  const fields = Array.from({ length: 10_001 }, (_, at) => `"${at}":1`).join(',')
  await expect(scanJson(Buffer.from(`{${fields}}`))).rejects.toThrow(JsonTooComplex)
  await expect(scanJson(Buffer.alloc(1_000_001, '['))).rejects.toThrow(JsonTooComplex)
  await expect(scanJson(Buffer.from(`[${'9'.repeat(70_000)}]`))).rejects.toThrow(JsonTooComplex)
})

it('finds the positions of members and of the elements of lists', async () => {
  const text = ' {"post": [ {"a":[1,2]} , "é" ], "b" : 7}'
  const bytes = Buffer.from(text)
  const { members } = await scanJson(bytes, { cutLists: true })
  const textOf = ({ start, end }: { start: number; end: number }) => bytes.toString('utf8', start, end)
  expect(members.map((member) => [member.key, textOf(member), member.elements.map(textOf)])).toEqual([
    ['post', '[ {"a":[1,2]} , "é" ]', ['{"a":[1,2]}', '"é"']],
    ['b', '7', []],
  ])
})
