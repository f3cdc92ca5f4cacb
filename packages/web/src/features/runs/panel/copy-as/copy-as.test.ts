import type { Run } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { toModelCall } from './model-call.ts'
import { printModelCall, printPython, printRun, printTypeScript, quoteForShell } from './print-code.ts'

const llm = (extra: Record<string, unknown>) =>
  ({ id: 'r', name: 'ChatModel', run_type: 'llm', start_time: '2026-01-01T00:00:00.000000Z', extra }) as unknown as Run
const OPENAI = { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o-mini' } }
const CHAT = { messages: [{ role: 'user', content: "It's $5 `now`" }], temperature: 0.2 }

describe('a model run as code', () => {
  it('sends the recorded request to the provider with the key from the environment', () => {
    const call = toModelCall(llm(OPENAI), { inputs: CHAT, outputs: {} })!
    expect(call).toMatchObject({ api: 'openai-chat', body: { model: 'gpt-4o-mini', ...CHAT } })
    const curl = printModelCall(call, 'curl')
    expect(curl).toContain('"authorization: Bearer $OPENAI_API_KEY"')
    // Traced text is in single quotes: the shell expands nothing in it.
    expect(curl).toContain(`It'\\''s $5 \`now\``)
  })

  it('converts LangChain messages to the format of the provider', () => {
    const inputs = {
      messages: [
        [
          { lc: 1, type: 'constructor', id: ['langchain', 'SystemMessage'], kwargs: { content: 'Be kind.' } },
          { lc: 1, type: 'constructor', id: ['langchain', 'HumanMessage'], kwargs: { content: 'Hi' } },
        ],
      ],
    }
    const extra = { metadata: { ls_provider: 'anthropic' }, invocation_params: { model: 'claude-x', max_tokens: 64 } }
    expect(toModelCall(llm(extra), { inputs, outputs: {} })).toMatchObject({
      api: 'anthropic',
      body: { model: 'claude-x', max_tokens: 64, system: 'Be kind.', messages: [{ role: 'user', content: 'Hi' }] },
    })
  })

  it('sends Gemini and OpenAI Responses requests as recorded', () => {
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
    const gemini = toModelCall(llm({ metadata: { ls_model_name: 'gemini-x' } }), { inputs: { contents }, outputs: {} })
    expect(gemini).toMatchObject({ api: 'gemini', body: { contents } })
    expect(gemini!.url).toMatch(/models\/gemini-x:generateContent$/)
    const inputs = { instructions: 'Be kind.', input: 'Hi' }
    expect(toModelCall(llm(OPENAI), { inputs, outputs: {} })).toMatchObject({ api: 'openai-responses', body: inputs })
  })

  it('is undefined for runs that called no model', () => {
    expect(toModelCall({ ...llm(OPENAI), run_type: 'chain' }, { inputs: CHAT, outputs: {} })).toBeUndefined()
  })
})

describe('literals', () => {
  it('print any value', () => {
    expect(printPython({ a: [true, null, 1.5], 'b"c': {} })).toBe(
      '{\n    "a": [\n        True,\n        None,\n        1.5,\n    ],\n    "b\\"c": {},\n}',
    )
    expect(printTypeScript(JSON.parse('{"__proto__":1}'))).toContain('["__proto__"]: 1')
    expect(quoteForShell("a'b")).toBe(`'a'\\''b'`)
  })
})

describe('any run as code', () => {
  it('is recorded again through this server', () => {
    const what = { run: llm({}), payload: { inputs: { q: 1 }, outputs: null }, project: 'p', origin: 'http://h' }
    expect(printRun(what, 'curl')).toContain(`'http://h/api/v1/runs'`)
    expect(printRun(what, 'python')).toContain('"project_name": "p"')
    expect(printRun(what, 'typescript')).toContain("apiUrl: 'http://h/api/v1'")
  })
})
