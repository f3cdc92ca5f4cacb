import { describe, expect, it } from 'vitest'
import { BYTE_ORDER_MARK, csvHeader, csvLine, withoutFormula } from './csv-line.ts'

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
    '\u200b=1+1',
    '\ufeff=1+1',
    ' \u202e\u0000"=1+1',
    '\u2060@SUM(1)',
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

it('a file for a spreadsheet begins with a byte order mark, others do not', () => {
  expect(csvHeader(['id', 'größe'], 'spreadsheet')).toBe(`${BYTE_ORDER_MARK}id,größe\n`)
  expect(
    Buffer.from(csvHeader(['=id'], 'spreadsheet'))
      .subarray(0, 5)
      .toString('hex'),
  ).toBe('efbbbf273d')
  expect(csvHeader(['id', 'größe'])).toBe('id,größe\n')
})
