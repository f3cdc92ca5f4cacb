import { memberAt } from '@touchstone/formats/guards'
import { describe, expect, it } from 'vitest'
import type { OtlpValue } from '../span.ts'
import { MAX_SLOTS } from './attributes.ts'
import { mapSpan } from './index.ts'
import { aSpan, json } from './testing/a-span.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const chat = { 'gen_ai.operation.name': 'chat' }
const map = (attributes: Record<string, OtlpValue>) => mapSpan(aSpan({ ...chat, ...attributes }))
const input = (parts: unknown[], role = 'user') => ({ 'gen_ai.input.messages': json([{ role, parts }]) })
const contentOf = (attributes: Record<string, OtlpValue>) =>
  memberAt(map(attributes).inputs, 'messages', '0', 'content')

describe('media of a message', () => {
  it.each([
    ['a blob', input([{ type: 'blob', modality: 'image', mime_type: 'image/png', content: PNG }])],
    ['binary of Pydantic AI before v4', input([{ type: 'binary', media_type: 'image/png', content: PNG }])],
    [
      'an image of the AI SDK',
      {
        'ai.prompt.messages': json([{ role: 'user', content: [{ type: 'image', image: PNG, mimeType: 'image/png' }] }]),
      },
    ],
    [
      'a file of the AI SDK',
      {
        'ai.prompt.messages': json([{ role: 'user', content: [{ type: 'file', data: PNG, mediaType: 'image/png' }] }]),
      },
    ],
    [
      'an image of Anthropic',
      input([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }]),
    ],
    ['an image of OpenAI', input([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }])],
    [
      'inline data of Gemini',
      {
        'gen_ai.input.messages': json([
          { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] },
        ]),
      },
    ],
    [
      'an image of Bedrock',
      {
        'gen_ai.input.messages': json([
          { role: 'user', content: [{ image: { format: 'png', source: { bytes: PNG } } }] },
        ]),
      },
    ],
    [
      'an image of OpenInference',
      {
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.0.message_content.type': 'image',
        'llm.input_messages.0.message.contents.0.message_content.image.image.url': `data:image/png;base64,${PNG}`,
      },
    ],
  ])('become an attachment with a reference in place, from %s', (_, attributes) => {
    const { attachments, inputs } = map(attributes as Record<string, OtlpValue>)
    expect(attachments).toHaveLength(1)
    expect(attachments[0]).toMatchObject({ mimeType: 'image/png', bytes: Buffer.from(PNG, 'base64') })
    const url = `attachment:${attachments[0]?.name}`
    expect(memberAt(inputs, 'messages', '0', 'content', '0', 'image_url', 'url')).toBe(url)
    expect(json(inputs)).not.toContain(PNG)
  })

  it('are one attachment when they are sent twice', () => {
    const blob = { type: 'blob', modality: 'image', mime_type: 'image/png', content: PNG }
    expect(map(input([blob, blob])).attachments).toHaveLength(1)
  })

  it('stay addresses when they are elsewhere', () => {
    expect(
      contentOf(input([{ type: 'uri', modality: 'audio', mime_type: 'audio/mpeg', uri: 'https://example.com/a.mp3' }])),
    ).toEqual([{ type: 'audio', source: { type: 'url', url: 'https://example.com/a.mp3', mime_type: 'audio/mpeg' } }])
    expect(
      contentOf(input([{ type: 'file', modality: 'document', mime_type: 'application/pdf', file_id: 'f1' }])),
    ).toEqual([{ type: 'file', file: { file_id: 'f1', mime_type: 'application/pdf' }, modality: 'document' }])
    expect(contentOf(input([{ type: 'uri', uri: 'gs://bucket/a.pdf' }]))).toEqual([
      { type: 'file', file: { file_url: 'gs://bucket/a.pdf' } },
    ])
  })

  it('stay as they came when they are no base64, as after redaction', () => {
    const blob = { type: 'blob', modality: 'image', mime_type: 'image/png', content: '<redacted>' }
    expect(contentOf(input([blob]))).toEqual([blob])
  })

  it('are read from audio parts with their transcript', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
    const { attachments, inputs } = map(input([audio]))
    expect(attachments[0]).toMatchObject({ mimeType: 'audio/wav' })
    expect(memberAt(inputs, 'messages', '0', 'content', '0', 'source', 'url')).toBe(
      `attachment:${attachments[0]?.name}`,
    )
  })

  it.each([
    [
      'a document of Anthropic',
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
      'application/pdf',
    ],
    [
      'a document of Bedrock',
      { document: { format: 'pdf', name: 'a.pdf', source: { bytes: 'AAAA' } } },
      'application/pdf',
    ],
    [
      'a file of OpenAI',
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      'application/pdf',
    ],
    [
      'a video of OpenInference',
      { message_content: { type: 'video', video: { video: { url: 'data:video/mp4;base64,AAAA' } } } },
      'video/mp4',
    ],
  ])('are read from %s', (_, part, mimeType) => {
    const { attachments, inputs } = map(input([part]))
    expect(attachments).toMatchObject([{ mimeType, bytes: Buffer.from('AAAA', 'base64') }])
    expect(json(inputs)).toContain(`attachment:${attachments[0]?.name}`)
  })

  it('do not include a document that is text', () => {
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'abcd' } }
    expect(contentOf(input([document]))).toEqual([document])
  })

  it('include the files of langsmith.attachments by their names', () => {
    const files = [
      { name: 'notes', content: Buffer.from('text').toString('base64'), mime_type: 'text/plain' },
      { content: 'AAAA' },
    ]
    expect(map({ 'langsmith.attachments': json(files) }).attachments).toEqual([
      { name: 'notes', mimeType: 'text/plain', bytes: Buffer.from('text') },
    ])
  })
})

describe('parts of a message', () => {
  it.each([
    ['reasoning', { type: 'reasoning', content: 'Hmm' }, { type: 'thinking', thinking: 'Hmm' }],
    ['thinking of Pydantic AI', { type: 'thinking', content: 'Hmm' }, { type: 'thinking', thinking: 'Hmm' }],
    [
      'encrypted reasoning',
      { type: 'reasoning', encrypted_content: 'xyz' },
      { type: 'thinking', thinking: '', encrypted_content: 'xyz' },
    ],
    [
      'a tool of the provider',
      { type: 'server_tool_call', id: 's1', name: 'web_search', server_tool_call: { type: 'web_search', query: 'x' } },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { type: 'web_search', query: 'x' } },
    ],
    [
      'its result',
      { type: 'server_tool_call_response', id: 's1', server_tool_call_response: { hits: 2 } },
      { type: 'tool_result', tool_use_id: 's1', content: { hits: 2 } },
    ],
    [
      'a text with members of its own',
      { type: 'text', content: 'Hi', visible: false },
      { type: 'text', text: 'Hi', visible: false },
    ],
    [
      'compaction',
      { type: 'compaction', id: 'c', content: 'summary' },
      { type: 'compaction', id: 'c', content: 'summary' },
    ],
    ['an unknown part', { type: 'generic', any: [1] }, { type: 'generic', any: [1] }],
    ['a text without content, as content is not recorded', { type: 'text' }, { type: 'text' }],
  ])('keep everything of %s', (_, part, block) => expect(contentOf(input([part], 'assistant'))).toEqual([block]))

  it('are one text when they are only that, and a list otherwise', () => {
    expect(contentOf(input([{ type: 'text', content: 'Hi' }]))).toBe('Hi')
    expect(
      contentOf(
        input([
          { type: 'text', content: 'a' },
          { type: 'text', content: 'b' },
        ]),
      ),
    ).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
  })

  it('put results of tools before the text of the same message', () => {
    const { inputs } = map(
      input([
        { type: 'tool_call_response', id: 'c1', response: { ok: true } },
        { type: 'text', content: 'And now?' },
      ]),
    )
    expect(inputs).toEqual({
      messages: [
        { role: 'tool', content: '{"ok":true}', tool_call_id: 'c1' },
        { role: 'user', content: 'And now?' },
      ],
    })
  })

  it.each([
    ['of OpenAI', { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'done' }] }],
    ['of a message event', { role: 'tool', id: 'c1', content: [{ text: 'done' }] }],
    ['of the conventions', { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'done' }] }],
  ])('keep the id of the call in a result %s', (_, message) => {
    const { inputs } = map({ 'gen_ai.input.messages': json([message]) })
    expect(inputs).toEqual({ messages: [{ role: 'tool', content: 'done', tool_call_id: 'c1' }] })
  })

  it('do not repeat the instructions when a message of the system is there', () => {
    const messages = [
      { role: 'system', parts: [{ type: 'text', content: 'Own' }] },
      { role: 'user', parts: [{ type: 'text', content: 'Hi' }] },
    ]
    const { inputs } = map({
      'gen_ai.system_instructions': json([{ type: 'text', content: 'Other' }]),
      'gen_ai.input.messages': json(messages),
    })
    expect(memberAt(inputs, 'messages')).toHaveLength(2)
  })
})

describe('dual emission', () => {
  it('shows the newer generation once', () => {
    const { inputs, extra } = map({
      ...input([{ type: 'text', content: 'new' }]),
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'new',
    })
    expect(inputs).toEqual({ messages: [{ role: 'user', content: 'new' }] })
    expect(json(extra)).not.toContain('gen_ai.prompt.0')
  })

  it('takes the older generation when the newer one is empty', () => {
    for (const empty of ['[]', '{}', '', json([{ role: 'user', parts: [] }])]) {
      const { inputs } = map({
        'gen_ai.input.messages': empty,
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'old',
      })
      expect(inputs).toEqual({ messages: [{ role: 'user', content: 'old' }] })
    }
  })
})

describe('JSON that an exporter cut', () => {
  it('gives the complete messages at its beginning, keeps the text and adds a warning', () => {
    const whole = json([
      { role: 'user', parts: [{ type: 'text', content: 'first ] } "' }] },
      { role: 'assistant', parts: [{ type: 'text', content: 'second' }] },
    ])
    const cut = whole.slice(0, -20)
    const { inputs, extra, warnings } = map({ 'gen_ai.input.messages': cut })
    expect(inputs).toEqual({ messages: [{ role: 'user', content: 'first ] } "' }] })
    expect(extra.otel).toMatchObject({ raw: { 'gen_ai.input.messages': cut, truncated_by_exporter: true } })
    expect(warnings).toEqual([
      'gen_ai.input.messages is no complete JSON, or too large. An exporter cuts it at OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT. 1 complete messages were read; the text is in extra.otel.raw.',
    ])
  })

  it('is the content of one message when no message is complete', () => {
    expect(map({ 'gen_ai.input.messages': '[{"role":"user","par' }).inputs).toEqual({
      messages: [{ role: 'user', content: '[{"role":"user","par' }],
    })
  })
})

describe('flattened lists', () => {
  it('are sorted by index, with gaps in a warning', () => {
    const { inputs, warnings } = map({
      'gen_ai.prompt.12.content': 'c',
      'gen_ai.prompt.4.content': 'b',
      'gen_ai.prompt.0.content': 'a',
    })
    expect(memberAt(inputs, 'messages')).toEqual(['a', 'b', 'c'].map((content) => ({ role: 'user', content })))
    expect(warnings).toEqual(['gen_ai.prompt arrived without the entries 1 to 3, 5 to 11.'])
  })

  it('with an enormous index take no memory', () => {
    const { inputs, warnings } = map({ 'gen_ai.prompt.4000000000.content': 'a' })
    expect(inputs).toEqual({ messages: [{ role: 'user', content: 'a' }] })
    expect(warnings).toEqual(['gen_ai.prompt arrived without the entries 0 to 3999999999.'])
  })

  it(`have at most ${MAX_SLOTS} entries`, () => {
    const attributes = Object.fromEntries(
      Array.from({ length: MAX_SLOTS + 5 }, (_, at) => [`gen_ai.prompt.${at}.content`, 'x']),
    )
    const { inputs, warnings } = map(attributes)
    expect(memberAt(inputs, 'messages')).toHaveLength(MAX_SLOTS)
    expect(warnings).toEqual([`gen_ai.prompt has ${MAX_SLOTS + 5} entries, only the first ${MAX_SLOTS} were read.`])
  })

  it('may stand beside a name and a version', () => {
    const { inputs } = map({
      'gen_ai.prompt.name': 'greet',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
    })
    expect(inputs).toEqual({ messages: [{ role: 'user', content: 'Hi' }] })
  })
})

describe('hostile attributes', () => {
  it('do not reach prototypes', () => {
    map({
      'llm.input_messages.0.message.__proto__.polluted': 'yes',
      'llm.input_messages.0.message.constructor.prototype.polluted': 'yes',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Hi',
      'gen_ai.request.__proto__': '{"polluted":1}',
      'llm.invocation_parameters': '{"__proto__":{"polluted":1}}',
    })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('that are nested too deeply stay text', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const { inputs } = map({ 'input.value': deep, 'input.mime_type': 'application/json' })
    expect(inputs).toEqual({ input: deep })
  })

  it('with more than a million values stay text', () => {
    const many = `[${'{},'.repeat(600_000)}1]`
    expect(mapSpan(aSpan({ 'input.value': many, 'input.mime_type': 'application/json' })).inputs).toEqual({
      input: many,
    })
  })

  it('with long white space in base64 take no time', () => {
    const blob = { type: 'blob', mime_type: 'image/png', content: `AAAA${' '.repeat(1_000_000)}!` }
    expect(contentOf(input([blob]))).toEqual([blob])
  })

  it('are parsed at most twice', () => {
    const twice = json(json({ a: json({ b: 1 }) }))
    expect(mapSpan(aSpan({ 'langfuse.observation.input': twice })).inputs).toEqual({ a: '{"b":1}' })
    const often = json(json(json({ a: 1 })))
    expect(mapSpan(aSpan({ 'langfuse.observation.input': often })).inputs).toEqual({ input: often })
  })

  it('with credentials of a request are not kept', () => {
    const { extra } = map({
      'ai.request.headers.authorization': 'Bearer s3cret',
      'http.request.header.x-api-key': 's3cret',
      'ai.request.headers.x-trace': 'a',
    })
    expect(json(extra)).not.toContain('s3cret')
    expect(extra.otel).toMatchObject({
      attributes: { 'ai.request.headers.x-trace': 'a', 'ai.request.headers.authorization': '(not kept: a credential)' },
    })
  })

  it.each([
    ['numbers', 7],
    ['lists', [1, null, ['x']]],
    ['maps', { a: { b: null } }],
    ['nothing', null],
    ['a lone surrogate', '\ud800'],
    ['a text that is no JSON', '{"a":'],
  ])('of any form do no harm: %s', (_, value) => {
    const keys = [
      'gen_ai.input.messages',
      'gen_ai.output.messages',
      'gen_ai.system_instructions',
      'gen_ai.prompt.0',
      'gen_ai.tool.definitions',
      'llm.input_messages.0.message',
      'llm.tools.0',
      'ai.prompt.messages',
      'ai.response.toolCalls',
      'langfuse.observation.usage_details',
      'langsmith.usage_metadata',
      'langsmith.attachments',
      'metadata',
      'annotations.0',
      'gen_ai.usage.input_tokens',
      'session.id',
      'langsmith.span.kind',
      'retrieval.documents.0',
      'pydantic_ai.all_messages',
      'gcp.vertex.agent.llm_request',
      'events',
    ]
    const all = Object.fromEntries(keys.map((key) => [key, value as OtlpValue]))
    for (const attributes of [all, ...keys.map((key) => ({ [key]: value as OtlpValue }))]) {
      expect(() => JSON.stringify(mapSpan(aSpan(attributes)).extra)).not.toThrow()
    }
  })
})
