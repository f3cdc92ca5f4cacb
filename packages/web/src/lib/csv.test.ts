import { expect, it } from 'vitest'
import { printCsvLine } from './csv.ts'

it.each([
  [['a', 'b c'], 'a,b c'],
  [['say "hi", twice', 'two\nlines'], '"say ""hi"", twice","two\nlines"'],
  [['=1+1', '-0.5', '+x', '@y', '1e-7'], "'=1+1,-0.5,'+x,'@y,1e-7"],
])('prints a line of %j so that a spreadsheet reads it as text', (values, expected) => {
  expect(printCsvLine(values)).toBe(`${expected}\r\n`)
})
