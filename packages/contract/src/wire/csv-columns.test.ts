import { describe, expect, it } from 'vitest'
import { detectCsvDelimiter, findCsvColumns, nameCsvColumns, readCsvHeader } from './csv-columns.ts'

describe('the delimiter of a CSV file', () => {
  it.each([
    ['q,a\n1;2,3\n', ','],
    ['\uFEFFq;a\r\n1,5;2\r\n', ';'],
    ['q\ta\n', '\t'],
    ['q|a', '|'],
    ['"q,1";a\n', ';'],
    ['only\n1,2\n', ','],
    ['', ','],
  ])('of %j is %j', (head, delimiter) => {
    expect(detectCsvDelimiter(head)).toBe(delimiter)
  })

  it('is the one with which the wanted columns are there', () => {
    expect(detectCsvDelimiter('a,b,c;q\n', ['q'])).toBe(';')
    expect(detectCsvDelimiter('a,b,c;q\n', ['a,b,c'])).toBe(';')
    expect(detectCsvDelimiter('a;b\n', ['a;b'])).toBe(',')
    expect(detectCsvDelimiter('a;b\n', ['missing'])).toBe(';')
  })
})

describe('the columns of a CSV file', () => {
  it('are read with quotes and line breaks', () => {
    expect(readCsvHeader('\n\n"a ""b""","two\nlines",c"d\nx,y,z', ',')).toEqual(['a "b"', 'two\nlines', 'c"d'])
    expect(readCsvHeader('"open', ',')).toEqual(['open'])
  })

  it('are found in linear time', () => {
    const header = Array.from({ length: 200_000 }, (_, at) => `column ${at}`)
    const { user } = process.cpuUsage()
    expect(findCsvColumns(header, header, ',')).toMatchObject({ ok: expect.any(Map) })
    // Comparing each with each takes minutes.
    expect(process.cpuUsage().user - user).toBeLessThan(10_000_000)
    expect(
      JSON.stringify(
        findCsvColumns(
          header.map(() => 'a'),
          ['a'],
          ',',
        ),
      ).length,
    ).toBeLessThan(2_000)
  })

  it('have a name each', () => {
    expect(nameCsvColumns([' q ', 'a', 'a', '', 'a'])).toEqual(['q', 'a', 'a (column 3)', 'Column 4', 'a (column 5)'])
    expect(nameCsvColumns(['a', 'a', 'a (column 2)'])).toEqual(['a', 'a (column 2) (column 2)', 'a (column 2)'])
  })

  it.each([
    [['q', 'a'], ['q'], ',', { ok: new Map([['q', 0]]) }],
    [
      [' q', 'a'],
      ['a', ' q'],
      ',',
      {
        ok: new Map([
          ['a', 1],
          [' q', 0],
        ]),
      },
    ],
    [['q', 'a', 'a'], ['q'], ',', { ok: new Map([['q', 0]]) }],
    [
      ['q', 'a', 'a'],
      ['a', 'a (column 3)'],
      ',',
      {
        ok: new Map([
          ['a', 1],
          ['a (column 3)', 2],
        ]),
      },
    ],
  ])('of %j are found for %j', (header, wanted, delimiter, found) => {
    expect(findCsvColumns(header, wanted, delimiter)).toEqual(found)
  })

  it('are refused with the title that two of them have', () => {
    expect(findCsvColumns(['q', 'a', 'a'], ['q', 'a'], ',')).toEqual({
      problem:
        'The file has the column "a" more than once (columns 2 and 3). Rename them, or name each one: "a" and "a (column 3)".',
    })
  })

  it('are refused with the delimiter with which they were read', () => {
    expect(findCsvColumns(['x', 'y'], ['q'], ';')).toEqual({
      problem: 'The file has no column "q". Read with semicolons between the cells, its columns are "x", "y".',
    })
  })
})
