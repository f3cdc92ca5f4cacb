import { listOptionalVariables, listVariables, splitTemplate, type TemplateFormat } from '@touchstone/formats/templates'
import { describe, expect, it } from 'vitest'
import type { PromptDocument } from './document.ts'
import { readManifest } from './read-manifest.ts'
import pushed from './testing/client-manifests.json' with { type: 'json' }

const lc = (id: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', id], kwargs })
const template = (text: string, format = 'f-string') =>
  lc('PromptTemplate', { template: text, template_format: format })
const system = (text: string, format?: string) => lc('SystemMessagePromptTemplate', { prompt: template(text, format) })
const chat = (messages: unknown, more = {}) => lc('ChatPromptTemplate', { messages, ...more })
const openAi = lc('ChatOpenAI', {
  model: 'gpt-5',
  temperature: 0.2,
  openai_api_key: { lc: 1, type: 'secret', id: ['OPENAI_API_KEY'] },
})
const tool = {
  type: 'function',
  function: { name: 'get_weather', description: 'Weather of a city', parameters: { type: 'object' } },
}

function read(manifest: unknown): PromptDocument {
  const answer = readManifest(manifest)
  if ('problem' in answer) throw new Error(answer.problem)
  return answer.document
}

const rolesAndTexts = ({ messages }: PromptDocument) =>
  messages.map((message) =>
    message.kind === 'message'
      ? [message.role, ...message.parts.map((part) => (part.kind === 'unknown' ? part.value : part.text))]
      : message.kind === 'placeholder'
        ? ['placeholder', message.variable, message.isOptional]
        : ['unknown', message.type],
  )

describe('reading a manifest that a public client pushed', () => {
  it('reads a chat of Python with an image and a placeholder', () => {
    const document = read(pushed.pythonChat)
    expect(rolesAndTexts(document)).toEqual([
      ['system', 'You are {tone}.'],
      ['user', 'See {q}', '{img}'],
      ['placeholder', 'history', true],
      ['assistant', 'ok'],
    ])
    expect(document).toMatchObject({ kind: 'chat', variables: ['tone', 'q', 'img'], partials: { history: [] } })
  })

  it('reads a mustache text of Python', () => {
    expect(read(pushed.pythonText)).toMatchObject({ kind: 'text', variables: ['name'], type: 'PromptTemplate' })
  })

  it('reads a structured prompt with its schema', () => {
    const { schema, variables, type } = read(pushed.pythonStructured)
    expect({ schema, variables, type }).toEqual({
      type: 'StructuredPrompt',
      variables: ['q'],
      schema: { title: 'answer', type: 'object', properties: { city: { type: 'string' } } },
    })
  })

  it('leaves the braces of a message without a template alone', () => {
    const document = read(pushed.pythonFixed)
    expect(rolesAndTexts(document)[0]).toEqual(['system', 'Braces {stay} as they are'])
    expect(document.variables).toEqual(['q'])
  })

  it('reads a chain of JavaScript with its model', () => {
    const { model, variables } = read(pushed.jsChain)
    expect(variables).toEqual(['tone', 'history', 'question'])
    expect(model).toEqual({
      provider: 'ChatOpenAI',
      name: 'gpt-4o-mini',
      settings: { temperature: 0.2 },
      secrets: ['OPENAI_API_KEY'],
    })
  })
})

describe('reading a chain', () => {
  it.each(['RunnableSequence', 'PromptPlayground'])('reads the tools and options of a binding in a %s', (type) => {
    const binding = lc('RunnableBinding', { bound: openAi, kwargs: { tools: [tool], tool_choice: 'auto', seed: 7 } })
    const document = read(lc(type, { first: chat([system('Hi')]), last: binding }))
    expect(document.tools).toEqual([
      { name: 'get_weather', description: 'Weather of a city', parameters: { type: 'object' }, value: tool },
    ])
    expect(document.model?.settings).toEqual({ temperature: 0.2, tool_choice: 'auto', seed: 7 })
  })

  it('names the deployment of a model that has no other name', () => {
    const azure = (kwargs: object) =>
      read(lc('RunnableSequence', { first: chat([system('Hi')]), last: lc('AzureChatOpenAI', kwargs) })).model
    expect(azure({ azure_deployment: 'gpt-5-eu' })).toMatchObject({ name: 'gpt-5-eu', settings: {} })
    expect(azure({ azure_deployment: 'eu', model: 'gpt-5' })).toMatchObject({
      name: 'gpt-5',
      settings: { azure_deployment: 'eu' },
    })
  })

  it.each([
    ['its class', lc('ChatOpenAI', { temperature: 0 })],
    ['its name', lc('MyModel', { model: 'own-1' })],
    ['its path', { ...lc('Own', {}), id: ['langchain', 'llms', 'own', 'Own'] }],
    ['its binding', lc('RunnableBinding', { bound: openAi, kwargs: {} })],
  ])('finds a model before a parser by %s', (_, model) => {
    const steps = { first: chat([system('Hi')]), middle: [model], last: lc('StrOutputParser', { name: 'parser' }) }
    const document = read(lc('RunnableSequence', steps))
    expect(document.model?.provider).toMatch(/^(ChatOpenAI|MyModel|Own)$/)
    expect(document.unread).toEqual(['StrOutputParser'])
  })

  it('names the steps that it does not show', () => {
    const steps = { first: template('Hi'), middle: [lc('StrOutputParser', {})], last: lc('RunnableBinding', {}) }
    expect(read(lc('RunnableSequence', steps)).unread).toEqual(['StrOutputParser', 'RunnableBinding'])
    expect(read(lc('RunnableSequence', { first: template('Hi') })).unread).toEqual([])
  })
})

describe('reading messages', () => {
  it('reads fixed messages with parts and tool calls', () => {
    const call = { name: 'get_weather', args: { city: 'Lima' }, id: '1' }
    const parts = ['plain', { type: 'text', text: 'more' }, { type: 'image_url', image_url: { url: 'https://x' } }, 7]
    const document = read(
      chat([
        lc('HumanMessage', { content: parts }),
        lc('AIMessage', { content: '', tool_calls: [call] }),
        lc('ChatMessage', { role: 'judge', content: 'ok' }),
      ]),
    )
    expect(rolesAndTexts(document)).toEqual([
      ['user', 'plain', 'more', 'https://x', 7],
      ['assistant', ''],
      ['judge', 'ok'],
    ])
    expect(document.messages[1]).toMatchObject({ toolCalls: [call] })
  })

  it('reads names, the calls that results answer, and the detail of pictures', () => {
    const image = lc('ImagePromptTemplate', { template: { url: '{img}', detail: '{detail}' } })
    const part = { type: 'image_url', image_url: { url: 'https://x', detail: 'low' } }
    const document = read(
      chat([
        lc('ToolMessage', { content: '12', tool_call_id: 'call_1', name: 'get_weather' }),
        lc('HumanMessage', { content: [part], name: 'ann' }),
        lc('HumanMessagePromptTemplate', { prompt: [template('See'), image], name: 'bob' }),
      ]),
    )
    expect(document.messages).toMatchObject([
      { role: 'tool', toolCallId: 'call_1', name: 'get_weather' },
      { name: 'ann', parts: [{ kind: 'image', text: 'https://x', detail: 'low' }] },
      { name: 'bob', parts: [{ text: 'See' }, { kind: 'image', text: '{img}', detail: '{detail}' }] },
    ])
    expect(document.variables).toEqual(['img', 'detail'])
  })

  it('reads the values that a message fills in itself', () => {
    const filled = lc('PromptTemplate', { template: '{a} {b}', partial_variables: { b: 'today' } })
    const document = read(chat([lc('SystemMessagePromptTemplate', { prompt: filled }), system('{b}')]))
    expect(document.messages[0]).toMatchObject({ partials: { b: 'today' } })
    expect(document.variables).toEqual(['a', 'b'])
    expect(read(filled)).toMatchObject({ variables: ['a'], partials: { b: 'today' } })
  })

  it.each([
    ['jinja2', '{{ name }} {% if x %}'],
    ['f-string', '{name:{width}}'],
  ])('lists the variables of a %s template as the message does', (template_format, text) => {
    const given = { template: text, template_format, input_variables: ['name', 'x'] }
    const one = lc('SystemMessagePromptTemplate', { prompt: lc('PromptTemplate', given) })
    expect(read(chat([system('{first}'), one])).variables).toEqual(['first', 'name', 'x'])
    expect(read(lc('PromptTemplate', given)).variables).toEqual(['name', 'x'])
  })

  it('lists the variables of an unreadable template as the prompt does', () => {
    const prompt = chat([system('{{ name }}', 'jinja2')], { input_variables: ['name'] })
    expect(read(prompt).variables).toEqual(['name'])
    expect(read(chat([system('no tag', 'jinja2')], { input_variables: ['name'] })).variables).toEqual([])
  })

  it('keeps messages that it does not know, with the variables that the prompt lists', () => {
    const few = lc('FewShotChatMessagePromptTemplate', { examples: [] })
    const document = read(chat([few, system('{a}')], { input_variables: ['a', 'b'] }))
    expect(document.messages[0]).toEqual({ kind: 'unknown', type: 'FewShotChatMessagePromptTemplate', value: few })
    expect(document.variables).toEqual(['a', 'b'])
  })

  it('does not list variables that the prompt fills in itself', () => {
    const document = read(chat([system('{a} {b}')], { partial_variables: { b: 'today' } }))
    expect(document).toMatchObject({ variables: ['a'], partials: { b: 'today' }, metadata: {} })
    expect(read(chat([], { metadata: { team: 'support' } })).metadata).toEqual({ team: 'support' })
  })
})

describe('a manifest that is shown as JSON', () => {
  it.each([
    [null, 'no class name'],
    ['text', 'no class name'],
    [{ id: [] }, 'no class name'],
    [{ id: [{}] }, 'no class name'],
    [lc('FewShotPromptTemplate', {}), 'FewShotPromptTemplate is shown as JSON'],
    [lc('PromptTemplate', { template: 7 }), 'has no template'],
    [chat('no list'), 'no list of messages'],
    [
      lc('RunnableSequence', { first: lc('RunnableSequence', {}) }),
      'first step of the RunnableSequence is not a prompt',
    ],
    [lc('RunnableSequence', {}), 'first step of the RunnableSequence is not a prompt'],
  ])('%j has a reason', (manifest, reason) => {
    expect(readManifest(manifest)).toEqual({ problem: expect.stringContaining(reason) })
  })

  it.each([
    ['a message that is nothing', [null, 7, 'text', {}, { id: ['constructor'] }, lc('__proto__', {}), []]],
    ['a template of no known language', [lc('SystemMessagePromptTemplate', { prompt: template('x', 'liquid') })]],
  ])('%s is one message as JSON', (_, messages) => {
    expect(read(chat(messages)).messages.map(({ kind }) => kind)).toEqual(messages.map(() => 'unknown'))
  })

  it('survives a manifest of 10,000 levels', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 10_000; level++) deep = { kwargs: { bound: deep, first: deep } }
    expect(readManifest(lc('RunnableSequence', { first: chat([system('Hi')]), last: deep }))).toHaveProperty('document')
    expect(readManifest(deep)).toHaveProperty('problem')
  })
})

describe('a template', () => {
  it.each<[TemplateFormat, string, string[]]>([
    ['f-string', 'Hi {name}, {name!r} and {price:>10}', ['name', 'price']],
    ['f-string', '{{"json": true}} for {user.name} {items[0]}', ['user', 'items']],
    ['f-string', 'no variables', []],
    ['f-string', 'open { brace and {name}', []],
    ['f-string', '{}', []],
    ['mustache', 'Hi {{ name }}, {{{raw}}}, {{&raw}} {{user.name}}', ['name', 'raw', 'user']],
    ['mustache', '{{#items}}{{title}}{{/items}}{{^items}}none{{/items}} {{end}}', ['items', 'end']],
    ['mustache', '{{# items }}{{title}}{{ /items }} {{end}}', ['items', 'end']],
    ['mustache', '{{! comment }} {single} {{> partial}} {{}}', []],
    ['jinja2', '{{ name }} {% if x %}', []],
  ])('%s: %j has the variables %j', (format, text, variables) => {
    expect(listVariables(text, format)).toEqual(variables)
    expect(
      splitTemplate(text, format)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  })

  const nested = '{{#is_a}}Hello {{user_name}}{{#is_b}} and {{other_name}}{{/is_b}}{{/is_a}}{{end}}'
  const list = '{{#items}}{{title}} of {{shop.name}}: {{.}}{{/items}}{{^items}}none for {{who}}{{/items}}'
  it.each<[string, Record<string, unknown>, string[]]>([
    [nested, {}, ['user_name', 'is_b', 'other_name']],
    [nested, { is_a: true, is_b: false }, ['user_name', 'is_b', 'other_name']],
    [nested, { is_a: { user_name: 'Ann', is_b: [{ other_name: 'Bob' }] } }, []],
    [nested, { is_a: { user_name: 'Ann' }, is_b: [{}] }, ['is_b', 'other_name']],
    [list, {}, ['title', 'shop', 'who']],
    [list, { items: [{}, { title: 'Tea' }] }, ['shop', 'who']],
    ['{{name}}{{#a}}{{name}}{{/a}}{{/a}}{{/a}}{{last}}', {}, []],
  ])('%j with %j may be given %j', (text, values, names) => {
    expect(listOptionalVariables(text, 'mustache', values)).toEqual(names)
    expect(listOptionalVariables(text, 'f-string', values)).toEqual([])
  })

  it('of a prompt has variables that may be given, and those that must be', () => {
    const given = { template: nested, template_format: 'mustache', input_variables: ['is_a'] }
    expect(read(lc('PromptTemplate', given))).toMatchObject({
      variables: ['is_a', 'end'],
      optionalVariables: ['user_name', 'is_b', 'other_name'],
    })
    const filled = { ...given, partial_variables: { user_name: 'Ann' } }
    expect(read(lc('PromptTemplate', filled)).optionalVariables).toEqual(['is_b', 'other_name'])
  })

  it.each<[TemplateFormat, string]>([
    ['mustache', `{{${' '.repeat(200_000)}`],
    ['mustache', '{{'.repeat(100_000)],
    ['mustache', '{{#a}}'.repeat(40_000)],
    ['f-string', `{${'a'.repeat(200_000)}`],
    ['f-string', '{'.repeat(200_000)],
    ['f-string', '{a}'.repeat(70_000)],
  ])('%s of 200 kB is split in linear time', (format, text) => {
    const before = process.cpuUsage()
    splitTemplate(text, format)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  })
})
