import { extentAt, membersAt } from '@touchstone/formats/json-extents'
import { describe, expect, it } from 'vitest'
import { createJsonApi, searchBytes, toNeedles } from './json-api.ts'
import { JsonOutline } from './json-outline.ts'
import { parsePath, printJsonPath, printPath, printPythonPath } from './json-path.ts'
import { wrapString } from './json-strings.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const outlineOf = (json: string, columns = 100) =>
  new JsonOutline(bytesOf(json), [{ key: undefined, start: 0 }], columns)
const draw = (outline: JsonOutline) =>
  outline.rows(0, outline.length).map(({ what, depth, key, kind, text, count, open }) => {
    const mark = open === undefined ? ' ' : open ? '-' : '+'
    const shown = what === 'more' ? '…more' : kind === 'object' ? `{${count}}` : kind === 'array' ? `[${count}]` : text
    return `${'  '.repeat(depth)}${mark}${key ?? ''}: ${shown}`
  })

describe('reading the boundaries of JSON values', () => {
  it.each([
    ['{"a":[1,2,{"b":"}"}],"c":"\\"]"} ', 2],
    ['[]', 0],
    ['[ ]', 0],
    ['[1]', 1],
    ['"a\\\\"', 0],
    ['-1.5e300,', 0],
    ['true}', 0],
  ])('finds the end and the members of %s', (text, count) => {
    const extent = extentAt(bytesOf(text), 0)
    expect(extent.count).toBe(count)
    expect(extent.end).toBe(text.trimEnd().replace(/[,}]$/, (last) => (text.startsWith('{') ? last : '')).length)
  })

  it('steps through the members with white space anywhere', () => {
    const text = ' { "a" : 1 , "b":[ ] ,"c" : "x" } '
    const members = [...membersAt(bytesOf(text), 1)].map(({ start, end }) => text.slice(start, end))
    expect(members).toEqual(['1', '[ ]', '"x"'])
  })

  it.each(['{"a":', '{"a"', '[1,', '"abc', '{"a":1,,}', '[', ''])('ends on damaged text %j', (text) => {
    expect(() => outlineOf(text || ' ').rows(0, 10)).not.toThrow()
  })
})

describe('the outline of a document', () => {
  it('opens small documents and keeps every digit', () => {
    expect(draw(outlineOf('{"id":12345678901234567890,"pi":3.10,"list":[true,null],"none":{}}'))).toEqual([
      '-: {4}',
      '   id: 12345678901234567890',
      '   pi: 3.10',
      '  -list: [2]',
      '     0: true',
      '     1: null',
      '   none: {0}',
    ])
  })

  it('restores the folding of paths that exist', () => {
    const outline = outlineOf('{"a":{"b":{"c":1}},"d":[[2]]}')
    outline.fold([
      { path: ['a'], open: false },
      { path: ['gone'], open: true },
      { path: ['a', 'b'], open: false },
      { path: ['d', 0], open: false },
      { path: ['d', 0, 0], open: true },
    ])
    expect(draw(outline)).toEqual(['-: {2}', '  +a: {1}', '  -d: [1]', '    +0: [1]'])
    outline.fold([{ path: ['a'], open: true }])
    expect(draw(outline).slice(1, 3)).toEqual(['  -a: {1}', '    +b: {1}'])
  })

  it('closes and opens again', () => {
    const outline = outlineOf('{"a":{"b":1},"c":2}')
    outline.toggle(1)
    expect(draw(outline)).toEqual(['-: {2}', '  +a: {1}', '   c: 2'])
    outline.toggle(1)
    expect(outline.length).toBe(4)
  })

  it('closes the siblings together', () => {
    const outline = outlineOf('[{"b":1},{"b":2},3]')
    outline.toggleSiblings(1)
    expect(draw(outline)).toEqual(['-: [3]', '  +0: {1}', '  +1: {1}', '   2: 3'])
    outline.toggleSiblings(1)
    expect(outline.length).toBe(6)
  })

  it('breaks an opened string into lines and clamps what is very long', () => {
    const outline = outlineOf(JSON.stringify({ text: `first\nsecond ${'word '.repeat(2_000)}` }), 50)
    const rows = draw(outline)
    expect(rows[2]).toBe('     : first')
    expect(rows[3]).toMatch(/^ {5}: second word/)
    expect(rows.every((row) => row.length <= 60)).toBe(true)
    expect(rows.at(-1)).toBe('     : …more')

    const clamped = outline.length
    outline.showWhole(outline.length - 1)
    expect(outline.length).toBeGreaterThan(clamped * 4)
    expect(outline.rows(0, outline.length).some((row) => row.what === 'more')).toBe(false)
    expect(outline.valueText(1)).toHaveLength(10_013)
  })

  it('wraps again when the width changes', () => {
    const outline = outlineOf(JSON.stringify({ text: 'word '.repeat(40) }), 50)
    const narrow = outline.length
    outline.setColumns(250)
    expect(outline.length).toBeLessThan(narrow)
  })

  it('finds the row of an offset and opens its ancestors', () => {
    const json = JSON.stringify({ big: Array.from({ length: 500 }, (_, i) => ({ name: `item ${i}` })) })
    const outline = outlineOf(json)
    const row = outline.reveal(json.indexOf('item 321'))
    expect(outline.rows(row, row + 1)[0]).toMatchObject({ key: 'name', text: 'item 321' })
    expect(outline.getPath(row)).toEqual(['big', 321, 'name'])
    const inKey = outline.reveal(json.indexOf('"name"', json.indexOf('item 400')))
    expect(outline.getPath(inKey).at(1)).toBe(401)
  })

  it('finds the row of a hit in the cut-off part of a string', () => {
    const json = JSON.stringify({ text: `${'a'.repeat(5_000)}needle` })
    const outline = outlineOf(json)
    const row = outline.reveal(json.indexOf('needle'))
    expect(outline.rows(row, row + 1)[0]!.text).toContain('needle')
  })

  it('goes from a path to its row and back', () => {
    const outline = outlineOf('{"a":[{"b c":1},{"b c":2}],"z":0}')
    outline.toggle(1)
    const row = outline.findPath(['a', 1, 'b c'])!
    expect(outline.rows(row, row + 1)[0]).toMatchObject({ key: 'b c', text: '2' })
    expect(outline.getPath(row)).toEqual(['a', 1, 'b c'])
    expect(outline.findPath(['a', 7])).toBeUndefined()
  })

  it('shows selected members of a document at the top level', () => {
    const json = '{"id":1,"inputs":{"q":"?"},"outputs":null}'
    const outline = new JsonOutline(bytesOf(json), [
      { key: 'outputs', start: json.indexOf('null') },
      { key: 'inputs', start: json.indexOf('{"q"') },
    ])
    expect(draw(outline)).toEqual(['-inputs: {1}', '   q: ?', ' outputs: null'])
    expect(outline.getPath(1)).toEqual(['inputs', 'q'])
    expect(outline.findPath(['inputs', 'q'])).toBe(1)
  })

  it('takes prototype keys, duplicate keys and deep nesting as they are', () => {
    expect(draw(outlineOf('{"__proto__":1,"a":1,"a":2}'))).toEqual(['-: {3}', '   __proto__: 1', '   a: 1', '   a: 2'])
    const deep = outlineOf('['.repeat(50_000) + ']'.repeat(50_000))
    expect(deep.length).toBeGreaterThan(10)
  })
})

describe('wrapping', () => {
  const lines = (text: string, columns: number) => {
    const bytes = bytesOf(text)
    return wrapString(bytes, 0, bytes.length, columns).lines.map(({ start, end }) =>
      new TextDecoder().decode(bytes.slice(start, end)),
    )
  }

  it.each([
    ['one two three', 8, ['one two ', 'three']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['a\\nb', 10, ['a', 'b']],
    ['ab\\u00e9\\"cd', 3, ['ab\\u00e9', '\\"cd']],
    ['\\ud83d\\ude00\\ud83d\\ude00', 1, ['\\ud83d\\ude00', '\\ud83d\\ude00']],
    ['日本語', 4, ['日本', '語']],
    ['', 4, ['']],
  ])('breaks %j at %i columns', (text, columns, expected) => expect(lines(text, columns)).toEqual(expected))
})

describe('searching', () => {
  const find = (json: string, query: string) => searchBytes(bytesOf(json), toNeedles(query), 0, json.length)

  it.each([
    ['{"Name":"name"}', 'NAME', 2],
    ['{"a":"x\\ny"}', 'ny', 0],
    ['{"a":"line\\nnext"}', 'line\nnext', 1],
    ['{"a":"say \\"hi\\""}', 'say "hi"', 1],
    ['{"a":"caf\\u00e9","b":"café"}', 'café', 2],
    ['{"a":1}', 'absent', 0],
  ])('in %s for %j finds %i', (json, query, hits) => expect(find(json, query)).toHaveLength(hits))
})

describe('paths', () => {
  it.each([
    [['outputs', 'choices', 0, 'message'], 'outputs.choices[0].message'],
    [['a b', 'c"d', 'e'], '["a b"]["c\\"d"].e'],
    [[0, 'x'], '[0].x'],
    [[], ''],
  ])('%j prints and reads back', (path, text) => {
    expect(printPath(path)).toBe(text)
    expect(parsePath(text)).toEqual(path)
  })

  it('print for JSONPath and Python', () => {
    expect(printJsonPath(['a', 0])).toBe('$.a[0]')
    expect(printPythonPath(['a', 0])).toBe('["a"][0]')
    expect(parsePath('a..b')).toBeUndefined()
  })
})

describe('20 MB of JSON', () => {
  it('opens, searches and reaches its end quickly', () => {
    const item = {
      id: 12345678,
      name: 'An item of some length',
      tags: ['red', 'green'],
      nested: { deep: true, text: 'x'.repeat(120) },
    }
    const items = Array.from({ length: 80_000 }, (_, i) => ({ ...item, i }))
    const buffer = bytesOf(JSON.stringify({ id: 'run', inputs: { items }, outputs: { last: 'needle' } })).buffer
    const api = createJsonApi()
    const started = performance.now()
    const fields = api.load(buffer)
    const roots = fields.filter(({ key }) => key !== 'id').map(({ key, start }) => ({ key, start }))
    api.outline(roots, 100, [])
    api.rows(0, 60)
    const opened = performance.now()
    const hits = api.search('NEEDLE', 0, buffer.byteLength)
    const searched = performance.now()
    const { length } = api.toggle(1, false)
    const expanded = performance.now()
    console.log(
      `${(buffer.byteLength / 1e6).toFixed(1)} MB: first rows ${(opened - started).toFixed(0)} ms, search ${(searched - opened).toFixed(0)} ms, ${length} rows opened in ${(expanded - searched).toFixed(0)} ms`,
    )
    expect(hits).toHaveLength(1)
    expect(length).toBeGreaterThan(80_000)
    expect(api.rows(length - 2, length).at(-1)).toMatchObject({ key: 'last', text: 'needle' })
  })
})

describe('a string that holds JSON', () => {
  const DOCUMENT = JSON.stringify({
    before: 'needle one',
    call: { arguments: ' {"city":"Ulm","tags":["a","b"],"deep":"{\\"x\\":[1]}"} ' },
    after: 'needle two',
  })
  const rowOf = (outline: JsonOutline, key: string | number) =>
    outline.rows(0, outline.length).findIndex((row) => row.key === key)

  it('opens in place as the values in it, and shows its text again', () => {
    const outline = outlineOf(DOCUMENT)
    const before = draw(outline)
    const row = rowOf(outline, 'arguments')
    expect(outline.rows(row, row + 1)[0]).toMatchObject({ kind: 'string', json: 'closed' })
    expect(outline.toggleJson(row)).toBe(true)
    expect(outline.rows(row, row + 1)[0]).toMatchObject({ json: 'open', open: true, count: 3 })
    const city = rowOf(outline, 'city')
    expect(outline.valueText(city)).toBe('Ulm')
    expect(outline.getPath(city)).toEqual(['call', 'arguments', 'city'])
    outline.toggleJson(rowOf(outline, 'deep'))
    outline.toggle(rowOf(outline, 'x'))
    expect(draw(outline).slice(row)).toEqual([
      '    -arguments: ',
      '       city: Ulm',
      '      +tags: [2]',
      '      -deep: ',
      '        -x: [1]',
      '           0: 1',
      '   after: needle two',
    ])
    outline.toggleJson(row)
    expect(draw(outline)).toEqual(before)
  })

  it('is found through a path, and hits behind it are still found', () => {
    const outline = outlineOf(DOCUMENT)
    const row = outline.findPath(['call', 'arguments', 'deep', 'x', 0])!
    expect(outline.valueText(row)).toBe('1')
    const hit = DOCUMENT.indexOf('needle two')
    expect(outline.rows(outline.reveal(hit), Infinity)[0]).toMatchObject({ key: 'after' })
    const inside = DOCUMENT.indexOf('Ulm')
    expect(outline.rows(outline.reveal(inside), Infinity)[0]).toMatchObject({ key: 'arguments' })
    expect(outline.findPath(['call', 'arguments', 'no'])).toBeUndefined()
    expect(outline.findPath(['before', 'no'])).toBeUndefined()
  })

  it('stays text when it only looks like JSON', () => {
    const outline = outlineOf('{"a":"{not json}"}')
    expect(outline.rows(1, 2)[0]).toMatchObject({ json: 'closed' })
    expect(outline.toggleJson(1)).toBe(false)
    expect(outline.length).toBe(2)
  })
})

describe('a string that holds a file', () => {
  const filler = 'A'.repeat(300)
  it.each([
    [`data:audio/ogg;base64,${filler}`, 'audio/ogg'],
    [`iVBORw0KGgo${filler}`, 'image/png'],
    [`/9j/${filler}`, 'image/jpeg'],
    [`UklGRgAAAABXRUJQ${filler}`, 'image/webp'],
    [`iVBORw0KGgo is not base64 ${filler}`, undefined],
    ['iVBORw0KGgo', undefined],
  ])('detects the media type of %.30s', (text, media) => {
    const outline = outlineOf(JSON.stringify({ file: text }))
    expect(outline.rows(1, 2)[0]!.media).toBe(media)
    if (media) expect(outline.rows(1, 2)[0]!.open).toBe(false)
  })
})
