import { readManifest } from '@touchstone/contract/prompt-manifest'
import { describe, expect, it } from 'vitest'
import pushed from '../../../../../contract/src/prompts/manifest/testing/client-manifests.json' with { type: 'json' }
import { variantFromManifest, withFormat } from './from-manifest.ts'
import { findVariableValues, variantFromRun } from './from-run.ts'
import { CLIENTS, expectedOf, planCalls } from './testing/recorded-runs.ts'
import { manifestFromVariant } from './to-manifest.ts'
import { newVariant, type Variant } from './variant.ts'

const plans = planCalls()
const corpus = Object.entries(CLIENTS).flatMap(([client, record]) =>
  plans.map((plan) => [`${client} ${JSON.stringify(plan)}`, { plan, run: record(plan) }] as const),
)

const parse = (text: string): unknown => (text === '' ? [] : JSON.parse(text))

function open(manifest: unknown) {
  const read = readManifest(manifest)
  if ('problem' in read) throw new Error(read.problem)
  return variantFromManifest(read.document, manifest)
}

/** What a prompt keeps of a variant. */
const kept = ({ name: _n, key: _k, providerId: _p, prompt: _c, ...rest }: Variant) => rest

describe('a recorded run of a client', () => {
  it('has 336 calls in the corpus', () => expect(corpus).toHaveLength(336))

  it.each(corpus)('is recovered with nothing lost: %s', (_, { plan, run }) => {
    const { variant, notes } = variantFromRun(run)
    const expected = expectedOf(plan)
    expect(variant.messages).toEqual(expected.messages)
    expect(parse(variant.tools)).toEqual(expected.tools)
    expect(variant.toolChoice).toBe(plan.tools === 'none' ? undefined : 'auto')
    expect(variant.output && { name: variant.output.name, schema: parse(variant.output.schema) }).toEqual(
      expected.output,
    )
    expect(variant.parameters).toEqual(plan.parameters)
    expect({ extra: variant.extraBody, notes, format: variant.format }).toEqual({
      extra: '',
      notes: [],
      format: 'none',
    })
    expect(variant.model).not.toBe('')
  })

  it.each(corpus)('is saved as a prompt and opened again without a change: %s', (_, { run }) => {
    const { variant } = variantFromRun(run)
    const { manifest, notes } = manifestFromVariant(variant, undefined, { kind: 'openai-chat' })
    expect(notes).toEqual([])
    const stored = JSON.parse(JSON.stringify(manifest))
    const again = open(stored)
    expect(kept(again.variant)).toEqual(kept(variant))
    expect(again.notes).toEqual([])
    expect(manifestFromVariant(again.variant, stored, { kind: 'openai-chat' }).manifest).toEqual(stored)
  })

  it.each(corpus)('is saved as a template and opened again: %s', (_, { run }) => {
    const variant = withFormat(variantFromRun(run).variant, 'f-string')
    const again = open(manifestFromVariant(variant, undefined, { kind: 'anthropic-messages' }).manifest)
    expect(kept(again.variant)).toEqual(kept(variant))
  })
})

const recover = (inputs: object, extra: object = {}) => variantFromRun({ inputs, extra })

describe('what has no form in the playground', () => {
  it('stays in raw parts, and is named', () => {
    const document = { type: 'document', source: { type: 'url', url: 'https://x/a.pdf' } }
    const { variant, notes } = recover({
      messages: [{ role: 'user', content: [document, { type: 'text', text: 'Sum up' }] }],
    })
    expect(variant.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'raw', raw: document },
          { type: 'text', text: 'Sum up' },
        ],
      },
    ])
    expect(notes).toEqual([{ where: 'Message 1', reason: expect.stringContaining('“document”') }])
  })

  it.each([
    ['an item of responses', { type: 'item_reference', id: 'msg_1' }],
    ['encrypted reasoning', { type: 'reasoning', encrypted_content: 'abc', summary: [] }],
    ['a call of a built-in tool', { type: 'web_search_call', id: 'ws_1', status: 'completed' }],
  ])('keeps %s', (_, item) => {
    const { variant, notes } = recover({ input: [{ role: 'user', content: 'Hi' }, item] })
    expect(JSON.stringify(variant.messages)).toContain(JSON.stringify(item))
    expect(notes).toHaveLength(1)
  })

  it.each([
    [{ type: 'web_search_preview', search_context_size: 'low' }],
    [{ type: 'computer_20250124', name: 'computer', display_width_px: 1024 }],
    [{ googleSearch: {} }],
  ])('keeps the tool %j of a provider', (tool) => {
    const { variant, notes } = recover({ messages: [], tools: [tool] })
    expect(parse(variant.tools)).toEqual([{ type: 'raw', raw: tool }])
    expect(notes).toHaveLength(1)
  })

  it('keeps unknown fields of the request in the extra body', () => {
    const { variant, notes } = recover(
      { messages: [{ role: 'user', content: 'Hi' }], logprobs: true, metadata: { team: 'a' } },
      { invocation_params: { service_tier: 'flex', _type: 'openai-chat', stream: true } },
    )
    expect(parse(variant.extraBody)).toEqual({ service_tier: 'flex', logprobs: true, metadata: { team: 'a' } })
    expect(notes[0]?.reason).toContain('service_tier')
  })

  it.each([
    ['reasoning with a signature', { type: 'thinking', thinking: 'Hm', signature: 's' }],
    ['reasoning that was hidden', { type: 'redacted_thinking', data: 'xyz' }],
  ])('keeps %s of Anthropic', (_, block) => {
    const said = { role: 'assistant', content: [block, { type: 'text', text: 'Yes' }] }
    const { variant } = recover({ system: 'S', messages: [{ role: 'user', content: 'Hi' }, said] })
    for (const value of Object.values(block).slice(1)) expect(JSON.stringify(variant.messages)).toContain(value)
    const saved = manifestFromVariant(variant, undefined, { kind: 'anthropic-messages' }).manifest
    expect(kept(open(saved).variant).messages).toEqual(variant.messages)
  })

  it.each([
    ['anthropic', { anthropic: { signature: 'proof' } }, 'Hm'],
    ['gemini', { google: { thoughtSignature: 'proof' } }, 'Hm'],
    ['openai', { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'proof' } }, ''],
  ])('keeps whose signature reasoning of the AI SDK has: %s', (signedBy, providerOptions, text) => {
    const said = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text, providerOptions },
        { type: 'text', text: 'Yes' },
      ],
    }
    const { variant } = recover({ messages: [{ role: 'user', content: 'Hi' }, said] })
    expect(kept(variant).messages.at(-1)).toMatchObject({
      reasoning_signature: 'proof',
      reasoning_signed_by: signedBy,
    })
    const saved = manifestFromVariant(variant, undefined, { kind: 'anthropic-messages' }).manifest
    expect(kept(open(saved).variant).messages).toEqual(kept(variant).messages)
  })

  it('keeps a picture that is an attachment of the run, and names it', () => {
    const image = { type: 'image_url', image_url: { url: 'attachment:image-1.png', mime_type: 'image/png' } }
    const { variant, notes } = recover({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look' }, image] },
        { role: 'assistant', content: 'A dot.', finish_reason: 'stop' },
      ],
    })
    expect(variant.messages[0]).toMatchObject({
      content: [
        { type: 'text', text: 'Look' },
        { type: 'raw', raw: image },
      ],
    })
    expect(notes.map(({ reason }) => reason)).toEqual([expect.stringContaining('image_url')])
  })

  it('names cache marks, participants and unknown roles', () => {
    const cached = { type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } }
    const { notes } = recover({
      system: [cached],
      messages: [
        { role: 'user', name: 'ann', content: 'Hi' },
        { role: 'judge', content: 'ok' },
      ],
    })
    expect(notes.map(({ reason }) => reason).join(' ')).toMatch(/cache_control.*name.*judge/)
  })

  it.each([
    [{}, { role: 'user', content: '' }],
    [{ question: 'Why?' }, { role: 'user', content: 'Why?' }],
    [{ prompts: ['Once upon'] }, { role: 'user', content: 'Once upon' }],
    [{ prompt: 'Once' }, { role: 'user', content: 'Once' }],
    [{ input: 'Hi' }, { role: 'user', content: 'Hi' }],
    [{ messages: [['human', 'Hi']] }, { role: 'user', content: 'Hi' }],
  ])('reads %j as one message', (inputs, message) => expect(recover(inputs).variant.messages).toEqual([message]))

  it.each(['__proto__', 'constructor', 'toString'])('takes the role %s for a word', (role) => {
    expect(recover({ messages: [{ role, content: 'Hi' }] }).variant.messages).toEqual([{ role: 'user', content: 'Hi' }])
  })
})

describe('a prompt that a public client pushed', () => {
  it.each(Object.entries(pushed))('%s is saved as it was when nothing changed', (_, manifest) => {
    const { variant } = open(manifest)
    expect(manifestFromVariant(variant, manifest, { kind: undefined, hasModel: false }).manifest).toEqual(manifest)
    expect(manifestFromVariant(variant, manifest, { kind: undefined }).manifest).toEqual(manifest)
  })

  it.each(Object.entries(pushed))('%s keeps everything else when one text changes', (_, manifest) => {
    const { variant } = open(manifest)
    const at = variant.messages.findIndex(({ role }) => role === 'user')
    const message = variant.messages[at]
    if (message?.role !== 'user') return
    const edited = Array.isArray(message.content)
      ? { ...message, content: [{ type: 'text' as const, text: 'Changed' }, ...message.content.slice(1)] }
      : { ...message, content: 'Changed' }
    const messages = variant.messages.map((one, index) => (index === at ? edited : one))
    const saved = manifestFromVariant({ ...variant, messages }, manifest, { kind: undefined }).manifest
    const again = open(saved)
    expect(again.variant.messages).toEqual(messages)
    expect(kept({ ...again.variant, messages: [] })).toEqual(kept({ ...variant, messages: [] }))
    expect((saved as { id: unknown }).id).toEqual(manifest.id)
  })

  it('keeps secrets and settings without a form when the temperature changes', () => {
    const { variant } = open(pushed.jsChain)
    const changed = { ...variant, parameters: { temperature: 1, seed: 3 } }
    const { manifest } = manifestFromVariant(changed, pushed.jsChain, { kind: 'openai-chat' })
    const { first, last } = pushed.jsChain.kwargs
    expect(manifest).toEqual({
      ...pushed.jsChain,
      kwargs: { first, last: { ...last, kwargs: { ...last.kwargs, temperature: 1, seed: 3 } } },
    })
  })

  it('gets tools and a schema together, and loses neither', () => {
    const { variant } = open(pushed.pythonChat)
    const tools = JSON.stringify([{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }])
    const output = { name: 'city', schema: '{"type":"object"}', strict: false }
    const changed = { ...variant, model: 'gpt-5', tools, output, toolChoice: 'required' as const }
    const { manifest } = manifestFromVariant(changed, pushed.pythonChat, { kind: 'openai-responses' })
    const again = open(manifest).variant
    expect({ ...again, tools: parse(again.tools), output: { ...again.output, schema: {} } }).toMatchObject({
      messages: variant.messages,
      model: 'gpt-5',
      tools: parse(tools),
      toolChoice: 'required',
      output: { name: 'city', strict: false },
    })
    const removed = { ...again, tools: '', toolChoice: undefined, output: undefined }
    const without = open(manifestFromVariant(removed, manifest, { kind: 'openai-responses' }).manifest).variant
    expect(without).toMatchObject({ tools: '', messages: variant.messages })
    expect(without.output).toBeUndefined()
  })

  it('keeps messages that cannot be sent in their place', () => {
    const few = { lc: 1, type: 'constructor', id: ['x', 'FewShotChatMessagePromptTemplate'], kwargs: { examples: [1] } }
    const messages = [...pushed.pythonFixed.kwargs.messages, few]
    const manifest = { ...pushed.pythonFixed, kwargs: { ...pushed.pythonFixed.kwargs, messages } }
    const { variant, notes } = open(manifest)
    expect(variant.messages.at(-1)).toEqual({ role: 'kept', type: 'FewShotChatMessagePromptTemplate', value: few })
    expect(notes).toHaveLength(1)
    const moved = { ...variant, messages: [...variant.messages].reverse() }
    const saved = manifestFromVariant(moved, manifest, { kind: undefined }).manifest as typeof manifest
    expect(saved.kwargs.messages).toEqual([...messages].reverse())
  })

  const serialized = (name: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', name], kwargs })
  const human = (prompt: object) =>
    serialized('HumanMessagePromptTemplate', { prompt: serialized('PromptTemplate', prompt) })
  const chat = (input_variables: string[], ...messages: unknown[]) =>
    serialized('ChatPromptTemplate', { input_variables, messages })

  /** The prompt after an edit of its first message. */
  function edit(manifest: unknown, content: string) {
    const { variant } = open(manifest)
    const messages = variant.messages.map((one, at) => (at === 0 ? { role: 'user' as const, content } : one))
    return manifestFromVariant({ ...variant, messages }, manifest, { kind: undefined })
  }

  it('keeps the values that a template has itself when its text changes', () => {
    const partial_variables = { tone: 'kind' }
    const before = { template: '{tone} {q}', template_format: 'f-string', input_variables: ['q'], partial_variables }
    const after = { ...before, template: '{tone}: {q} {more}', input_variables: ['q', 'more'] }
    expect(edit(chat(['q'], human(before)), after.template).manifest).toEqual(chat(['q', 'more'], human(after)))
    expect(edit(serialized('PromptTemplate', before), after.template).manifest).toEqual(
      serialized('PromptTemplate', after),
    )
  })

  it('keeps variables of messages that cannot be sent', () => {
    const few = serialized('FewShotChatMessagePromptTemplate', { examples: [], input_variables: ['topic'] })
    const template = { template_format: 'f-string', template: '{q}', input_variables: ['q'] }
    const changed = { ...template, template: '{x}', input_variables: ['x'] }
    expect(edit(chat(['q', 'topic'], human(template), few), '{x}').manifest).toEqual(
      chat(['x', 'topic'], human(changed), few),
    )
  })

  it('keeps jinja2 as jinja2', () => {
    const template = { template_format: 'jinja2', template: '{{ q }}', input_variables: ['q'] }
    const changed = { ...template, template: '{{ q | upper }} {x}' }
    const { manifest, notes } = edit(chat(['q'], human(template)), changed.template)
    expect(manifest).toEqual(chat(['q'], human(changed)))
    expect(notes).toEqual([])
    expect(edit(serialized('PromptTemplate', template), changed.template).manifest).toEqual(
      serialized('PromptTemplate', changed),
    )
  })

  it('keeps jinja2 in messages with several parts', () => {
    const text = { template_format: 'jinja2', template: '{{ q }}', input_variables: ['q'] }
    const image = {
      template: { url: '{{ photo }}', detail: 'low' },
      template_format: 'jinja2',
      input_variables: ['photo'],
    }
    const parts = (given: object) =>
      serialized('HumanMessagePromptTemplate', {
        prompt: [serialized('PromptTemplate', given), serialized('ImagePromptTemplate', image)],
      })
    const manifest = chat(['q', 'photo'], parts(text))
    const { variant } = open(manifest)
    const messages = variant.messages.map((one) => {
      if (one.role !== 'user' || !Array.isArray(one.content)) throw new Error('The message has no parts.')
      const content = one.content.map((part) => (part.type === 'text' ? { ...part, text: '{{ q | upper }}' } : part))
      return { ...one, content }
    })
    const saved = manifestFromVariant({ ...variant, messages }, manifest, { kind: undefined })
    expect(saved.manifest).toEqual(chat(['q', 'photo'], parts({ ...text, template: '{{ q | upper }}' })))
  })

  it('keeps stored tools of Anthropic when only the choice or another tool changes', () => {
    const tool = { name: 'find', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }
    const bound = serialized('ChatAnthropic', { model: 'claude' })
    const bind = (kwargs: object) =>
      serialized('RunnableSequence', {
        first: pushed.pythonText,
        last: serialized('RunnableBinding', { bound, kwargs: { ...kwargs, config: 1 } }),
      })
    const manifest = bind({ tools: [tool], tool_choice: { type: 'auto', disable_parallel_tool_use: true } })
    const { variant } = open(manifest)
    const save = (change: Partial<Variant>) =>
      manifestFromVariant({ ...variant, ...change }, manifest, { kind: 'anthropic-messages' }).manifest
    expect(save({ toolChoice: 'required' })).toEqual(
      bind({ tools: [tool], tool_choice: { type: 'any', disable_parallel_tool_use: true } }),
    )
    expect(save({ toolChoice: { name: 'find' } })).toEqual(
      bind({ tools: [tool], tool_choice: { type: 'tool', name: 'find', disable_parallel_tool_use: true } }),
    )
    const added = { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } }
    expect(save({ tools: JSON.stringify([...JSON.parse(variant.tools), added]) })).toEqual(
      bind({
        tools: [tool, { name: 'add', input_schema: added.function.parameters }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      }),
    )
  })

  it('shows braces of fixed messages as text', () => {
    const { variant } = open(pushed.pythonFixed)
    expect(variant.messages[0]).toEqual({ role: 'system', content: 'Braces {{stay}} as they are' })
  })
})

describe('values of the variables of a prompt', () => {
  it('come from the nearest run that has them all', () => {
    const candidates = [{ messages: [] }, { input: { tone: 'terse', question: 'Why?' } }]
    expect(findVariableValues(['tone', 'question'], candidates)).toEqual({ tone: 'terse', question: 'Why?' })
    expect(findVariableValues(['other'], candidates)).toBeUndefined()
    expect(findVariableValues([], candidates)).toBeUndefined()
  })
})

it('changes the language of templates without a change of their meaning', () => {
  const variant = newVariant('1', { messages: [{ role: 'user', content: '{"a": 1} and {name}' }], format: 'none' })
  const escaped = withFormat(variant, 'f-string')
  expect(escaped.messages[0]).toEqual({ role: 'user', content: '{{"a": 1}} and {{name}}' })
  expect(withFormat(escaped, 'none').messages).toEqual(variant.messages)
  const filled = newVariant('1', { messages: [{ role: 'user', content: '{{x}} {name}' }] })
  const mustache = withFormat(filled, 'mustache')
  expect(mustache.messages[0]).toEqual({ role: 'user', content: '{x} {{name}}' })
  expect(withFormat(mustache, 'f-string').messages).toEqual(filled.messages)
})
