import { describe, expect, it } from 'vitest'
import { AttributeNames } from './attribute-names.ts'

const TABLE = ['llm.model_name', 'metadata.team.name', 'constructor', 'absent'] as const
const of = (...keys: string[]) => AttributeNames.of(Object.fromEntries(keys.map((key) => [key, 1])))

describe('the names of the attributes of a span', () => {
  it('are looked through once for all spans that have the same', () => {
    expect(of('llm.model_name', 'input.value')).toBe(of('llm.model_name', 'input.value'))
    expect(of('llm.model_name', 'input.value')).not.toBe(of('llm.model_name', 'output.value'))
    expect(of('llm.model_name').select(TABLE, (key) => key)).toBe(of('llm.model_name').select(TABLE, (key) => key))
  })

  it('select the rows of a table that a span may have', () => {
    expect(of('llm.model_name', 'other').select(TABLE, (key) => key)).toEqual(['llm.model_name'])
    expect(of('other').select(TABLE, (key) => key)).toEqual([])
  })

  it('select members of an object in one attribute too', () => {
    expect(of('metadata.team').select(TABLE, (key) => key)).toEqual(['metadata.team.name'])
  })

  it('are found below a prefix, which is no name itself', () => {
    const names = of('a.b', 'a.b.c', 'a.b.d.e', 'a.bc', 'x')
    expect(names.below('a.b')).toEqual([
      { key: 'a.b.c', rest: 'c' },
      { key: 'a.b.d.e', rest: 'd.e' },
    ])
    expect(names.below('x')).toEqual([])
  })

  it('are not those of another span whose one name prints the same', () => {
    expect(of('llm.model_name\nother').select(TABLE, (key) => key)).toEqual([])
    expect(of('llm.model_name', 'other').select(TABLE, (key) => key)).toEqual(['llm.model_name'])
    expect(of('llm.model_name\nother').below('llm')).toHaveLength(1)
  })

  it('are not kept when they are too many, and are read the same', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `key.${at}`)
    expect(of(...many)).not.toBe(of(...many))
    expect(of(...many).below('key')).toHaveLength(2_000)
    for (let at = 0; at < 3_000; at++) of(`id.${at}`)
    expect(of('id.7').below('id')).toEqual([{ key: 'id.7', rest: '7' }])
  })
})
