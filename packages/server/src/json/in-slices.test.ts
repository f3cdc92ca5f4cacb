import { repairNumbers } from '@touchstone/formats/repair-numbers'
import { describe, expect, it } from 'vitest'
import { repairNumbersInSlices } from './in-slices.ts'

describe('repair of numbers that JSON does not have', () => {
  it.each([
    ['{"a":NaN}', '{"a":null}', ['a']],
    ['{"a":[1, Infinity ,-Infinity],"b":{"c":NaN},"d":1}', '{"a":[1, null ,null],"b":{"c":null},"d":1}', ['a', 'b']],
    ['[1,{"x":NaN},2]', '[1,{"x":null},2]', ['1']],
    ['{"s":"NaN \\" -Infinity","n":NaN}', '{"s":"NaN \\" -Infinity","n":null}', ['n']],
    ['NaN', 'null', ['']],
    ['{ "a" : NaN , "b" : NaN}', '{ "a" : null , "b" : null}', ['a', 'b']],
  ])('makes %s JSON', async (text, repaired, fields) => {
    expect(repairNumbers(text)).toEqual({ text: repaired, fields })
    expect(await repairNumbersInSlices(text)).toEqual({ text: repaired, fields })
    expect(() => JSON.parse(repaired)).not.toThrow()
  })

  it.each(['{"a":1}', '{"a":"NaN"}', '{"a":NaNa}', '{"a":xInfinity}', '{"a":-Inf}', '{"a":nan}', '"NaN', '', '{"NaN'])(
    'leaves %j as it is',
    (text) => {
      expect(repairNumbers(text)).toBeUndefined()
    },
  )
})
