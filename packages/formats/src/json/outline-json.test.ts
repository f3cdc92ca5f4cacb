import { describe, expect, it } from 'vitest'
import { outlineJson } from './outline-json.ts'

const outline = (value: unknown) => outlineJson(JSON.stringify(value))
const repeat = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

/** What lists hold in all; the size of an outline. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1)
}

describe('the outline of a large JSON text', () => {
  const token = { token: 'abc', logprob: -0.12, bytes: [1, 2, 3] }
  const logprobs = { content: repeat(3_000, { ...token, top_logprobs: repeat(20, token) }) }
  const usage = { prompt_tokens: 1, completion_tokens: 300, details: { cached: 4, audio: 5 } }

  it('has what follows lists of tokens, at every level', () => {
    const choice = { index: 0, logprobs, message: { content: 'Hi', parts: ['a', 'b'] }, finish_reason: 'stop' }
    const { value, isCut, cutLists } = outline({ choices: repeat(8, choice), usage, model: 'm' })
    expect(value).toMatchObject({
      choices: repeat(8, { message: { content: 'Hi', parts: ['a', 'b'] }, finish_reason: 'stop' }),
      usage,
      model: 'm',
    })
    expect({ isCut, cutLists }).toEqual({ isCut: false, cutLists: new Set(['choices']) })
  })

  it('has what follows in the messages of LangChain', () => {
    const message = { kwargs: { response_metadata: { logprobs, token_usage: usage }, usage_metadata: usage } }
    const generation = { generation_info: { logprobs, finish_reason: 'stop' }, message, type: 'ChatGeneration' }
    const { value } = outline({ generations: [[generation], [generation]], llm_output: { token_usage: usage } })
    const expected = {
      generation_info: { finish_reason: 'stop' },
      message: { kwargs: { response_metadata: { token_usage: usage }, usage_metadata: usage } },
      type: 'ChatGeneration',
    }
    expect(value).toMatchObject({ generations: [[expected], [expected]], llm_output: { token_usage: usage } })
  })

  it('has what follows many lists and objects of numbers', () => {
    const floats = repeat(60_000, 0.5)
    const scores = Object.fromEntries(floats.slice(0, 9_000).map((score, at) => [`s${at}`, score]))
    const lists = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`list${at}`, floats]))
    const { value, isCut } = outline({ metadata: { ...lists, scores, user_id: 'dan', usage }, end: [1, { x: [2] }] })
    expect(value).toMatchObject({ metadata: { scores, user_id: 'dan', usage }, end: [1, { x: [2] }] })
    expect(isCut).toBe(false)
  })

  it('has the first and the last elements of a list, and the whole of its last', () => {
    const messages = Array.from({ length: 20_000 }, (_, id) => ({ id, parts: [{ text: 'a' }, { text: 'b' }] }))
    const { messages: kept } = outline({ messages }).value as { messages: { id: number }[] }
    expect(kept.slice(0, 900)).toEqual(messages.slice(0, 900))
    expect(kept.slice(-900)).toEqual(messages.slice(-900))
    expect(outline({ list: repeat(2_001, 1) }).value).toEqual({ list: repeat(2_000, 1) })
    expect(outline(Array.from({ length: 2_000 }, (_, at) => at))).toMatchObject({ cutLists: new Set() })
    expect(outline([])).toMatchObject({ value: [], isCut: false, cutLists: new Set() })
  })

  it('is limited, and is marked when members of objects are missing', () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))
    expect(outline({ a: keys(10_000), b: 1 }).isCut).toBe(false)
    expect(outline({ a: keys(10_001), b: 1 })).toMatchObject({ value: { b: 1 }, isCut: true })
    const nested = (level: number): unknown => (level === 0 ? 1 : repeat(30, nested(level - 1)))
    for (const large of [
      nested(4),
      repeat(200, keys(1_000)),
      Object.fromEntries([...'abcdefghijklmn'].map((key) => [key, keys(9_999)])),
    ]) {
      expect(countValues(outline(large).value)).toBeLessThan(150_000)
    }
    const { value, isCut } = outlineJson(`{"a":1,"b":[${'[],'.repeat(14_000_000)}0],"c":2}`)
    expect({ value, isCut }).toMatchObject({ value: { a: 1 }, isCut: true })
  })

  it('reads strings as they are', () => {
    const texts = ['"', '\\', '\\"', 'x"]}[{,', `${'x'.repeat(20)}"],`, `${'x'.repeat(15)}\\`, '']
    const list = [...repeat(1_500, 'x'), ...texts, ...repeat(1_500, texts), { end: texts }]
    const { value } = outline({ list, texts })
    expect(value).toMatchObject({ texts })
    expect((value as { list: unknown[] }).list.slice(-300)).toEqual(list.slice(-300))
  })
})
