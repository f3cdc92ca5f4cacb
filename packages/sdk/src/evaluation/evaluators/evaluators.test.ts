import { describe, expect, it } from 'vitest'
import type { EvaluatorArgs } from '../types.ts'
import { editDistance, levenshtein } from './edit-distance.ts'
import { exactMatch, jsonMatch } from './match.ts'

const args = (outputs: unknown, referenceOutputs: unknown) =>
  ({ inputs: {}, outputs, referenceOutputs }) as EvaluatorArgs

describe('exact match', () => {
  it.each([
    [{ answer: 'a' }, { answer: 'a' }, {}, 1],
    [{ answer: 'a' }, { answer: 'b' }, {}, 0],
    [{ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 }, {}, 1],
    [{ a: [1, 2] }, { a: [2, 1] }, {}, 0],
    [{ a: 1, b: 2 }, { a: 1 }, {}, 0],
    [{ a: null }, { a: undefined, b: 0 }, {}, 0],
    [{ text: 'Yes ' }, { expected: 'yes' }, { trim: true, ignoreCase: true }, 1],
    [{ a: { b: 1 }, x: 2 }, { a: { b: 1 }, y: 3 }, { field: 'a.b' }, 1],
    [undefined, { a: 1 }, {}, 0],
    [{ n: 1 }, { n: 2 }, { actual: () => 2, expected: () => 2 }, 1],
  ])('%# of %j and %j', (outputs, reference, options, score) => {
    expect(exactMatch(options)(args(outputs, reference))).toEqual({ key: 'exact_match', score })
  })

  it('needs a reference', () => {
    expect(() => exactMatch({ field: 'a' })(args({ a: 1 }, undefined))).toThrow('no reference a to compare')
  })

  it('has a name of its own, and tells its keys', () => {
    const { name, keys } = exactMatch({ key: 'same' })
    expect([name, keys]).toEqual(['same', ['same']])
  })
})

describe('edit distance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['flaw', 'lawn', 2],
    ['intention', 'execution', 5],
    ['😀a', 'a😀', 2],
    ['abcdef', 'abXdef', 1],
    ['aaa', 'aaaa', 1],
  ])('of %j and %j is %i both ways', (a, b, distance) => {
    expect(levenshtein(a, b)).toBe(distance)
    expect(levenshtein(b, a)).toBe(distance)
  })

  it('obeys the slow definition on random texts', () => {
    const slow = (a: string, b: string): number => {
      if (a === '' || b === '') return a.length + b.length
      if (a[0] === b[0]) return slow(a.slice(1), b.slice(1))
      return 1 + Math.min(slow(a.slice(1), b), slow(a, b.slice(1)), slow(a.slice(1), b.slice(1)))
    }
    const text = () => Array.from({ length: random() * 7 }, () => 'abc'[Math.floor(random() * 3)]).join('')
    for (let round = 0; round < 200; round++) {
      const [a, b] = [text(), text()]
      expect([a, b, levenshtein(a, b)]).toEqual([a, b, slow(a, b)])
    }
  })

  it('is scored as likeness, of texts and of JSON', () => {
    const score = (outputs: unknown, reference: unknown) => editDistance()(args(outputs, reference)).score
    expect(score({ a: 'kitten' }, { a: 'sitting' })).toBeCloseTo(1 - 3 / 7, 12)
    expect(score({ a: '' }, { a: '' })).toBe(1)
    expect(score({ a: [1, 2] }, { a: [1, 3] })).toBeCloseTo(1 - 1 / 5, 12)
    expect(editDistance()(args('ab', 'ac'))).toMatchObject({ comment: '1 edits over 2 characters' })
    expect(() => editDistance({ maxCharacters: 3 })(args('abcd', 'a'))).toThrow('longer than 3')
  })
})

describe('JSON match', () => {
  const scores = (outputs: unknown, reference: unknown, options = {}) =>
    jsonMatch(options)(args(outputs, reference)).map(({ key, score }) => [key, score])

  it('scores each member and their mean', () => {
    expect(scores({ a: 1, b: 2, c: 3 }, { a: 1, b: { x: 1 } })).toEqual([
      ['json_match', 0.5],
      ['json_match.a', 1],
      ['json_match.b', 0],
    ])
  })

  it('reads JSON text, and scores other text 0', () => {
    const options = { field: 'json' }
    expect(scores({ json: '{"a":[1]}' }, { json: { a: [1] } }, options)).toEqual([
      ['json_match', 1],
      ['json_match.a', 1],
    ])
    const [whole] = jsonMatch(options)(args({ json: 'Sure! {"a":1}' }, { json: { a: 1 } }))
    expect(whole).toMatchObject({ score: 0, comment: 'The output is no JSON object.' })
  })

  it('compares by its options: selected members, tolerances, judges, no extras', () => {
    const options = {
      members: ['n', 'text'],
      compare: { n: 0.1, text: (a: unknown, b: unknown) => String(a).includes(String(b)) },
      refuseExtra: true,
    }
    const results = jsonMatch(options)(args({ n: 1.05, text: 'a yes', z: 0 }, { n: 1, text: 'yes', other: 1 }))
    expect(results[0]).toMatchObject({ score: 2 / 3, comment: 'Not in the reference: z' })
  })
})

let state = 1
/** Numbers in [0, 1) that look random and are the same in every run. */
function random(): number {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647
}
