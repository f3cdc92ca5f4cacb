import { describe, expect, it } from 'vitest'
import { diffJson } from './diff-json.ts'

const MARKS = { same: '=', changed: '~', added: '+', removed: '-' }
const drawn = (a: string, b: string) =>
  diffJson(a, b)
    .filter(({ kind, isEnd }) => kind !== 'same' && !isEnd)
    .map(({ kind, path, a: old, b: fresh }) =>
      [MARKS[kind], path, ...(kind === 'changed' ? [old, fresh] : [old ?? fresh])].join(' '),
    )

describe('comparing two JSON documents', () => {
  it('lists changed, added and removed values by path', () => {
    expect(
      drawn(
        '{"model":"a","temperature":1,"stop":null,"deep":{"x":[1,2]}}',
        '{"model":"b","top_p":0.5,"stop":null,"deep":{"x":[1,3]}}',
      ),
    ).toEqual(['~ model "a" "b"', '- temperature 1', '~ deep.x[1] 2 3', '+ top_p 0.5'])
  })

  it('pairs equal items of lists, and the items between them by index', () => {
    expect(drawn('["a","b","c","d"]', '["a","x","c","d","e"]')).toEqual(['~ [1] "b" "x"', '+ [4] "e"'])
    expect(drawn('[{"id":1},{"id":2},{"id":3}]', '[{"id":2},{"id":3}]')).toEqual(['- [0] {', '- [0].id 1'])
  })

  it('distinguishes numbers that are equal as floats', () => {
    expect(drawn('{"id":12345678901234567890}', '{"id":12345678901234567891}')).toEqual([
      '~ id 12345678901234567890 12345678901234567891',
    ])
    expect(drawn('{"text":"12345678901234567890"}', '{"text":"12345678901234567890"}')).toEqual([])
  })

  it('shows a value of another kind as removed and added', () => {
    expect(drawn('{"a":{"b":1}}', '{"a":[2]}')).toEqual(['- a {', '- a.b 1', '+ a [', '+ a[0] 2'])
  })

  it('handles property names of Object.prototype and empty documents', () => {
    expect(drawn('{"__proto__":1,"constructor":2}', '{"__proto__":3,"constructor":2}')).toEqual(['~ __proto__ 1 3'])
    expect(drawn('', '{"a":1}')).toEqual(['+  {', '+ a 1'])
  })

  it('lists every position of equal documents once', () => {
    const lines = diffJson('{"a":[1,{"b":2}],"c":"d"}', '{"a":[1,{"b":2}],"c":"d"}')
    expect(lines.filter(({ isEnd }) => !isEnd).map(({ path }) => path)).toEqual([
      '',
      'a',
      'a[0]',
      'a[1]',
      'a[1].b',
      'c',
    ])
    expect(lines.every(({ kind }) => kind === 'same')).toBe(true)
  })

  it('closes every object and list that it opens', () => {
    const lines = diffJson('{"a":[1],"e":{},"gone":{"x":1}}', '{"a":[1,{"b":[]}],"e":{}}')
    expect(lines.map(({ kind, depth, a, b }) => `${MARKS[kind]}${' '.repeat(depth)}${b ?? a}`)).toEqual([
      '={',
      '= [',
      '=  1',
      '+  {',
      '+   []',
      '+  }',
      '= ]',
      '= {}',
      '- {',
      '-  1',
      '- }',
      '=}',
    ])
  })
})
