import { describe, expect, it } from 'vitest'
import { formatPrompt, toAnthropic, toOpenAI } from '../../prompts.ts'
import type { PromptCommit } from '../../schemas.ts'
import { formatFString, formatMustache } from './templates.ts'

const lc = (name: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', 'x', name], kwargs })
const text = (template: string, more: object = {}) => lc('PromptTemplate', { template, input_variables: [], ...more })
const chat = (...messages: object[]) => lc('ChatPromptTemplate', { input_variables: [], messages })
const human = (prompt: object) => lc('HumanMessagePromptTemplate', { prompt })
const system = (template: string) => lc('SystemMessagePromptTemplate', { prompt: text(template) })
const placeholder = (name: string, more: object = {}) => lc('MessagesPlaceholder', { variable_name: name, ...more })

describe('f-strings', () => {
  const values = { a: 'A', n: 1.5, o: { x: [1] }, nil: null, 'odd name': 'odd', empty: '' }
  it.each([
    ['{a}', 'A'],
    ['x{a}y{n}z', 'xAy1.5z'],
    ['{o}', '{"x":[1]}'],
    ['{nil}{empty}', 'null'],
    ['{{a}} {{{a}}}', '{a} {A}'],
    ['{odd name}', 'odd'],
    ['', ''],
    ['}} {{', '} {'],
    ['a\n{a}\n', 'a\nA\n'],
  ])('turn %j into %j', (template, expected) => {
    expect(formatFString(template, [values])).toBe(expected)
  })

  it.each([
    ['{', 'A single "{" in line 1; write "{{".'],
    ['a\n{b', 'A single "{" in line 2; write "{{".'],
    ['}', 'A single "}" in line 1; write "}}".'],
    ['{b}', 'Missing value for input variable "b".'],
    ['{a.length}', 'Missing value for input variable "a.length".'],
    ['{n:.2f}', 'Missing value for input variable "n:.2f".'],
    ['{constructor}', 'Missing value for input variable "constructor".'],
    ['{__proto__}', 'Missing value for input variable "__proto__".'],
    ['{toString}', 'Missing value for input variable "toString".'],
    ['{}', 'Missing value for input variable "".'],
  ])('refuse %j', (template, message) => {
    expect(() => formatFString(template, [values])).toThrow(message)
  })

  it('are read once: values are no templates', () => {
    expect(formatFString('{a}', [{ a: '{secret}', secret: 's' }])).toBe('{secret}')
    expect(formatMustache('{{a}}', [{ a: '{{secret}}', secret: 's' }])).toBe('{{secret}}')
  })
})

describe('mustache', () => {
  const values = {
    a: '<A> & "b"',
    n: 0,
    o: { x: { y: 'deep' }, a: 'inner' },
    list: [{ v: 1 }, { v: 2 }],
    words: ['x', 'y'],
    yes: true,
    no: false,
    none: [],
    call: () => 'called',
  }
  it.each([
    ['{{a}} {{{a}}} {{&a}}', '<A> & "b" <A> & "b" <A> & "b"'],
    ['{{ n }}{{gone}}{{o.x.y}}{{o.gone.y}}', '0deep'],
    ['{{#list}}{{v}},{{/list}}', '1,2,'],
    ['{{#words}}{{.}}{{/words}}', 'xy'],
    ['{{#o}}{{a}}{{n}}{{/o}}', 'inner0'],
    ['{{#yes}}1{{/yes}}{{#no}}2{{/no}}{{#none}}3{{/none}}{{#gone}}4{{/gone}}', '1'],
    ['{{^yes}}1{{/yes}}{{^no}}2{{/no}}{{^none}}3{{/none}}{{^gone}}4{{/gone}}', '234'],
    ['a{{! note }}b', 'ab'],
    ['{{#list}}\n- {{v}}\n{{/list}}\nend', '- 1\n- 2\nend'],
    ['  {{! alone }}  \nx {{! not alone }}\n', 'x \n'],
    ['{{#words}}({{#yes}}{{.}}{{/yes}}){{/words}}', '(x)(y)'],
    ['{{o.x}}', '{"y":"deep"}'],
    ['{{call}}{{#call}}x{{/call}}', ''],
    ['{{constructor}}{{__proto__}}{{o.constructor}}{{#__proto__}}x{{/__proto__}}{{toString}}', ''],
    ['{x} }} {', '{x} }} {'],
    ['{{}}x{{ }}{{& }}{{{}}}', 'x'],
    ['{{ {a} }}x{{ {"a": {"b": 1}} }}y', 'x }}y'],
    ['{{#}}x{{/}}{{^}}y{{/}}', 'y'],
    [`${'{{#yes}}'.repeat(100)}x${'{{/yes}}'.repeat(100)}`, 'x'],
    ['{{#no}}\nyes\n{{/no}}{{^no}}\nno\n{{/no}}\nend', 'no\nend'],
    ['{{#list}}{{#yes}}\nx\n{{/yes}}{{/list}}\ny', 'x\nx\ny'],
    ['{{#yes}}{{! note }}\r\nx\r\n{{/yes}}\r\ny', 'x\r\ny'],
    [' \u00a0{{#yes}} \n x\n {{/yes}} y', ' x\n  y'],
    ['{{! of\nlines }} {{#yes}}\nx{{/yes}}', 'x'],
  ])('turns %j into %j', (template, expected) => {
    expect(formatMustache(template, [values])).toBe(expected)
  })

  it.each([
    ['{{a', 'A tag of a template is never closed.'],
    ['{{#a}}', 'The section "a" in line 1 is not closed.'],
    ['{{/a}}', '"{{/a}}" in line 1 closes no open section.'],
    ['{{#a}}{{#b}}{{/a}}{{/b}}', '"{{/a}}" in line 1 closes no open section.'],
    ['{{>file}}', '"{{>file}}" in line 1: partials and other delimiters are not supported.'],
    ['{{=<% %>=}}', '"{{=<% %>=}}" in line 1: partials and other delimiters are not supported.'],
    ['{{#a}}'.repeat(200), 'Sections are nested deeper than 100 in line 1.'],
  ])('refuses %j', (template, message) => {
    expect(() => formatMustache(template, [values])).toThrow(message)
  })

  it('gives up on a template that multiplies', () => {
    const bomb = `${'{{#a}}'.repeat(20)}x${'{{/a}}'.repeat(20)}`
    expect(() => formatMustache(bomb, [{ a: [1, 2, 3, 4, 5] }])).toThrow('A template takes too many steps.')
    const nested = Array.from({ length: 90 }).reduce<unknown>((x) => ({ x }), 'deep')
    const path = Array.from({ length: 90 }, () => 'x').join('.')
    const long = `{{#l}}{{${path}}}{{/l}}`
    expect(formatMustache(long, [{ l: [nested] }])).toBe('deep')
    expect(() => formatMustache(long, [{ l: Array.from({ length: 12_000 }, () => nested) }])).toThrow('too many steps')
    expect(() => formatMustache(`{{x${'.x'.repeat(100)}}}`, [{}])).toThrow('more than 100 segments')
  })
})

describe('a pulled prompt', () => {
  const manifest = chat(
    system('You are {mood}.'),
    placeholder('history', { optional: true }),
    human(text('{{question}}', { template_format: 'mustache' })),
    lc('AIMessage', { content: 'Hm {not filled}' }),
    lc('ChatMessagePromptTemplate', { role: 'critic', prompt: text('Well') }),
  )
  const variables = { mood: 'kind', question: 'why?' }

  it('becomes messages, from the commit or its manifest', () => {
    const messages = [
      { role: 'system', content: 'You are kind.' },
      { role: 'user', content: 'why?' },
      { role: 'assistant', content: 'Hm {not filled}' },
      { role: 'critic', content: 'Well' },
    ]
    expect(formatPrompt(manifest, variables)).toEqual({ messages })
    const commit: PromptCommit = { owner: '-', repo: 'p', commit_hash: 'x', manifest, examples: [] }
    expect(toOpenAI(commit, variables)).toEqual({ messages })
  })

  it.each([
    ['a text', text('Say {mood}')],
    ['a sequence with a model', lc('RunnableSequence', { first: text('Say {mood}'), last: lc('ChatOpenAI', {}) })],
    ['a playground', lc('PromptPlayground', { first: text('Say {mood}') })],
    ['a binding', lc('RunnableBinding', { bound: text('Say {mood}'), kwargs: {} })],
    ['a chat in a chat', chat(chat(human(text('Say {mood}'))))],
  ])('is %s', (_, manifest) => {
    expect(formatPrompt(manifest, variables).messages).toEqual([{ role: 'user', content: 'Say kind' }])
  })

  it('takes what is filled in beforehand, unless it is given', () => {
    const inner = text('{a}{b}', { partial_variables: { a: 'inner' } })
    const outer = lc('ChatPromptTemplate', { messages: [human(inner)], partial_variables: { a: 'outer', b: 'B' } })
    expect(formatPrompt(outer).messages[0]!.content).toBe('outerB')
    expect(formatPrompt(outer, { a: 'given' }).messages[0]!.content).toBe('givenB')
  })

  it('has images and other parts', () => {
    const parts = [
      text('Look: {what}'),
      lc('ImagePromptTemplate', { template: { url: 'https://x/{what}.png', detail: 'low' } }),
      lc('ImagePromptTemplate', { template: { url: '{data}' } }),
      lc('DictPromptTemplate', { template: { type: 'input_audio', input_audio: { data: '{what}' } } }),
    ]
    const prompt = chat(lc('HumanMessagePromptTemplate', { prompt: parts }))
    const values = { what: 'cat', data: 'data:image/png;base64,AAAA' }
    const audio = { type: 'input_audio', input_audio: { data: 'cat' } }
    expect(toOpenAI(prompt, values).messages[0].content).toEqual([
      { type: 'text', text: 'Look: cat' },
      { type: 'image_url', image_url: { url: 'https://x/cat.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      audio,
    ])
    expect(toAnthropic(prompt, values).messages[0].content).toEqual([
      { type: 'text', text: 'Look: cat' },
      { type: 'image', source: { type: 'url', url: 'https://x/cat.png' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      audio,
    ])
  })

  it('accepts messages of any format in placeholders', () => {
    const call = { id: 'c1', name: 'add', args: { a: 1 } }
    const history = [
      'hello',
      ['ai', 'hi'],
      { role: 'user', content: 'add' },
      { type: 'ai', content: '', tool_calls: [call] },
      lc('ToolMessage', { content: '2', tool_call_id: 'c1' }),
      { role: 'assistant', content: null, tool_calls: [{ id: 'c2', function: { name: 'add', arguments: '{"a":2}' } }] },
      { type: 'human', data: { content: [{ type: 'text', text: 'done' }] } },
    ]
    const prompt = chat(system('S'), placeholder('history'), system('T'))
    const openai = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
    expect(toOpenAI(prompt, { history }).messages).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
      { role: 'user', content: 'add' },
      { role: 'assistant', content: '', tool_calls: [openai] },
      { role: 'tool', content: '2', tool_call_id: 'c1' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c2', type: 'function', function: { name: 'add', arguments: '{"a":2}' } }],
      },
      { role: 'user', content: [{ type: 'text', text: 'done' }] },
      { role: 'system', content: 'T' },
    ])
    expect(toAnthropic(prompt, { history })).toEqual({
      system: 'S\n\nT',
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'hi' },
        { role: 'user', content: 'add' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '2' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c2', name: 'add', input: { a: 2 } }] },
        { role: 'user', content: [{ type: 'text', text: 'done' }] },
      ],
    })
    const last = chat(placeholder('history', { n_messages: 1 }))
    expect(toOpenAI(last, { history }).messages).toHaveLength(1)
  })

  it('asks for an answer of its schema', () => {
    const schema = { title: 'A joke!', type: 'object' }
    const prompt = lc('StructuredPrompt', { messages: [human(text('x'))], schema_: schema })
    expect(toOpenAI(prompt).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'A_joke_', schema },
    })
  })

  it.each([
    ['a value is missing', chat(human(text('{a}'))), 'Missing value for input variable "a".'],
    ['messages are missing', chat(placeholder('h')), 'Missing list of messages for the placeholder "h".'],
    ['templates run code', text('{{ a }}', { template_format: 'jinja2' }), 'Templates of the format jinja2 are not'],
    ['a kind is not known', lc('FewShotPromptTemplate', {}), 'A manifest of the kind FewShotPromptTemplate is not'],
    ['a message is not known', chat(lc('Evil', {})), 'A message of the kind Evil is not supported.'],
    ['it is none', {}, 'A manifest of the kind without an id is not supported.'],
    ['a message has no role', chat(placeholder('list')), 'A message has no role'],
  ])('is refused when %s', (_, manifest, message) => {
    expect(() => formatPrompt(manifest, { list: [{}] })).toThrow(message)
  })

  it('cannot reach what is not in it', () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    const hostile = JSON.parse(`{"lc":1,"type":"constructor","id":["x","ChatPromptTemplate"],"__proto__":{"polluted":1},
      "kwargs":{"partial_variables":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},
      "messages":[{"id":["x","HumanMessagePromptTemplate"],"kwargs":{"prompt":
      {"id":["x","PromptTemplate"],"kwargs":{"template":"{__proto__}{constructor}"}}}},
      {"id":["x","HumanMessagePromptTemplate"],"kwargs":{"prompt":[
      {"id":["x","DictPromptTemplate"],"kwargs":{"template":{"__proto__":{"polluted":1},"type":"x"}}}]}}]}}`)
    const { messages } = formatPrompt(hostile, JSON.parse('{"__proto__":{"polluted":2}}'))
    expect(messages[0]!.content).toBe('{"polluted":2}{"prototype":{"polluted":1}}')
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})
