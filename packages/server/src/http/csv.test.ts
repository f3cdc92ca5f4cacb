import { describe, expect, it } from 'vitest'
import { csvLine, withoutFormula } from './csv.ts'

describe('a cell for a spreadsheet', () => {
  it.each([
    "=cmd|'/C calc'!A0",
    '=HYPERLINK("http://evil.example","x")',
    '+1+1',
    '-1+1',
    '-1.5=',
    '@SUM(1)',
    ' =1+1',
    '"=1+1',
    '\t=1',
    '\tx',
    '\r=1',
    '\n@x',
    '＝1+1',
    '+33 1 23 45',
    '-',
  ])('gets an apostrophe before %j', (cell) => {
    expect(withoutFormula(cell)).toBe(`'${cell}`)
  })

  it.each(['', 'a=b', '-1.5', '+2', '.5', '1e-9', '-0', '{"a":"=1"}', '[-1]', 'x @ y', "'quoted'", ' plain '])(
    'stays %j',
    (cell) => {
      expect(withoutFormula(cell)).toBe(cell)
    },
  )
})

it('a line is as stored unless it is for a spreadsheet', () => {
  expect(csvLine(['=1', 'a,b', '-2'])).toBe('=1,"a,b",-2\n')
  expect(csvLine(['=1', 'a,b', '-2'], 'spreadsheet')).toBe('\'=1,"a,b",-2\n')
})
