import { describe, expect, it } from 'vitest'
import { type RenderedFormat, renderTemplate } from './render-template.ts'
import { parseValuePath, readValuePath } from './value-path.ts'

const render = (template: string, format: RenderedFormat, values: Record<string, unknown>) => {
  const result = renderTemplate(template, format, values)
  return 'ok' in result ? result.ok : result.problem
}

describe('render a template', () => {
  it.each<[string, RenderedFormat, Record<string, unknown>, string]>([
    ['{{a}} & {a}', 'none', {}, '{{a}} & {a}'],
    ['Hi {name}, {{"a": {n}}}', 'f-string', { name: '<b>', n: 1 }, 'Hi <b>, {"a": 1}'],
    ['{a}{b}{c}', 'f-string', { a: null, b: true, c: { x: [1] } }, 'true{"x":[1]}'],
    ['{question?}', 'f-string', { 'question?': 'odd' }, 'odd'],
    ['Hi {{name}} {{{name}}} {{&name}}', 'mustache', { name: '<b>"' }, 'Hi <b>" <b>" <b>"'],
    ['{{user.name}}', 'mustache', { user: { name: 'Ada' } }, 'Ada'],
    ['{{#items}}{{.}},{{/items}}', 'mustache', { items: ['a', 2] }, 'a,2,'],
    ['{{#rows}}{{name}}={{base}};{{/rows}}', 'mustache', { base: 1, rows: [{ name: 'x' }, {}] }, 'x=1;=1;'],
    ['{{^none}}empty{{/none}}{{#none}}full{{/none}}', 'mustache', {}, 'empty'],
    ['{{#yes}}Y{{/yes}}{{^no}}N{{/no}}', 'mustache', { yes: true, no: false }, 'YN'],
    ['a\n  {{#rows}}\n- {{.}}\n  {{/rows}}\nb', 'mustache', { rows: [1, 2] }, 'a\n- 1\n- 2\nb'],
    ['{{#yes}}\nyes\n{{/yes}}{{^yes}}\nno\n{{/yes}}\nend', 'mustache', { yes: false }, 'no\nend'],
    ['{{#rows}}{{#yes}}\nx\n{{/yes}}{{/rows}}\ny', 'mustache', { rows: [1, 2], yes: true }, 'x\nx\ny'],
    ['{{#yes}} {{yes}}\n{{/yes}}.\n', 'mustache', { yes: true }, ' true\n.\n'],
    ['{{! a comment }}text {"json": {"a": 1}}', 'mustache', {}, 'text {"json": {"a": 1}}'],
    ['a{{! such as {"b": {{c}} }}d', 'mustache', {}, 'a }}d'],
    ['a{{!\n {"b"} }}d', 'mustache', {}, 'ad'],
    ['{{toString}}', 'mustache', { toString: 'own' }, 'own'],
  ])('%j as %s', (template, format, values, expected) => {
    expect(render(template, format, values)).toBe(expected)
  })

  it.each<[string, RenderedFormat, string, string | null, RegExp]>([
    ['{missing}', 'f-string', 'missing_variable', 'missing', /"missing" has no value/],
    ['{{constructor}}', 'mustache', 'missing_variable', 'constructor', /no value/],
    ['{{user.name}}', 'mustache', 'missing_variable', 'user.name', /no value/],
    ['a\n{', 'f-string', 'invalid_template', null, /line 2/],
    ['{a:>10}', 'f-string', 'invalid_template', 'a', /format/],
    ['{a[0]}', 'f-string', 'invalid_template', 'a', /path/],
    ['{}', 'f-string', 'invalid_template', null, /without a name/],
    ['{{#open}}', 'mustache', 'invalid_template', 'open', /not closed/],
    ['{{#a}}{{/b}}', 'mustache', 'invalid_template', 'b', /closes no/],
    ['{{}}', 'mustache', 'invalid_template', null, /no name/],
    ['{{> partial}}', 'mustache', 'invalid_template', null, /partials/],
    ['{{=<% %>=}}', 'mustache', 'invalid_template', null, /delimiters/],
  ])('names the problem of %j', (template, format, code, variable, message) => {
    expect(render(template, format, { user: {} })).toEqual({ code, variable, message: expect.stringMatching(message) })
  })

  it('stops at the limit of its output, and of its steps', () => {
    expect(renderTemplate('{a}{a}', 'f-string', { a: 'x'.repeat(60) }, 100)).toMatchObject({
      problem: { code: 'invalid_template', message: expect.stringContaining('100 characters') },
    })
    const rows = Array.from({ length: 1000 }, () => ({}))
    const nested = '{{#rows}}{{#rows}}{{#rows}}{{/rows}}{{/rows}}{{/rows}}'
    expect(render(nested, 'mustache', { rows })).toMatchObject({ code: 'invalid_template' })
    expect(render('{{#a}}'.repeat(101), 'mustache', {})).toMatchObject({ message: expect.stringContaining('100') })
  })

  it('counts the segments of a path, and the items around the one that has its name, as steps', () => {
    const path = (segments: number) => Array.from({ length: segments }, () => 'x').join('.')
    const nested = Array.from({ length: 50 }).reduce<unknown>((x) => ({ x }), 'deep')
    const items = (count: number) => Array.from({ length: count }, () => nested)
    const refused = { code: 'invalid_template', message: expect.stringContaining('1000000 steps') }
    expect(render(`{{#l}}{{${path(50)}}},{{/l}}`, 'mustache', { l: items(2) })).toBe('deep,deep,')
    expect(render(`{{#l}}{{${path(50)}}}{{/l}}`, 'mustache', { l: items(20_000) })).toMatchObject(refused)
    expect(render(`{{#l}}{{#${path(50)}}}{{/${path(50)}}}{{/l}}`, 'mustache', { l: items(20_000) })).toMatchObject(
      refused,
    )

    const within = (template: string) => `${'{{#yes}}'.repeat(50)}${template}${'{{/yes}}'.repeat(50)}`
    const values = (count: number) => ({ yes: 1, base: '', l: Array.from({ length: count }, () => 0) })
    expect(render(within('{{#l}}{{.}}{{/l}}'), 'mustache', values(20_000))).toBe('0'.repeat(20_000))
    expect(render(within('{{#l}}{{base}}{{/l}}'), 'mustache', values(20_000))).toMatchObject(refused)
  })

  it.each(['{{NAME}}', '{{{NAME}}}', '{{#NAME}}{{/NAME}}', '{{^NAME}}{{/NAME}}'])(
    'refuses a long path in %s',
    (tag) => {
      const template = (name: string) => `{{#none}}${tag.replaceAll('NAME', name)}{{/none}}`
      const longest = `${'x.'.repeat(99)}x`
      expect(render(template(longest), 'mustache', {})).toBe('')
      expect(render(template(`${longest}.x`), 'mustache', {})).toMatchObject({
        message: expect.stringMatching(/100 segments/),
      })
      expect(render(template('x'.repeat(1000)), 'mustache', {})).toBe('')
      expect(render(template('x'.repeat(1001)), 'mustache', {})).toMatchObject({
        message: expect.stringMatching(/line 1 has more than 1000 characters/),
      })
    },
  )

  it.each<[RenderedFormat, string]>([
    ['mustache', '{'],
    ['mustache', '{{'],
    ['mustache', ' '],
    ['mustache', '{{!x}} '],
    ['mustache', '{{!x}}\n'],
    ['mustache', ' {{!x}}\n\n'],
    ['mustache', '{{!\n}}'],
    ['mustache', '{{!'],
    ['f-string', '{{'],
  ])('takes linear time as %s for many %j', (format, piece) => {
    const time = (count: number) => {
      const template = piece.repeat(count)
      const startedAt = process.cpuUsage()
      renderTemplate(template, format, {})
      const { user, system } = process.cpuUsage(startedAt)
      return (user + system) / 1000
    }
    time(10_000)
    expect(time(200_000)).toBeLessThan(10_000)
  })
})

describe('the path of a value', () => {
  const values = { inputs: { 'a key': [{ b: null }], 0: 'zero' } }

  it.each([
    ['inputs["a key"][0].b', null],
    ['inputs.0', 'zero'],
    ['inputs["0"]', 'zero'],
    ['inputs', values.inputs],
  ])('%s is read', (path, value) => {
    expect(readValuePath(values, path)).toEqual({ value })
  })

  it.each([
    ['inputs.question', 'no key "question" in inputs'],
    ['inputs["a key"][3]', 'no item 3 in inputs.a key'],
    ['inputs.0.x', 'inputs.0 is a string, not an object'],
    ['inputs.toString', 'no key "toString" in inputs'],
    ['inputs..x', 'is no path'],
  ])('%s has no value', (path, problem) => {
    expect(readValuePath(values, path)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it.each(['', '.a', 'a.', 'a[b]', 'a["b]', 'a[0]b'])('%j is no path', (path) => {
    expect(parseValuePath(path)).toBeUndefined()
  })
})
