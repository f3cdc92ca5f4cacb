import type { ModelCall } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { estimateCost, findUncountedField } from './price-call.ts'

/** What a call is assumed to have, in tokens. */
function estimate(change: Partial<ModelCall>): { input: number; output: number } {
  const found = { input: Number.NaN, output: Number.NaN }
  const priceUsage = (_run: unknown, usage: Readonly<Record<string, unknown>>) => {
    found.input = Number(usage.input_tokens)
    found.output = Number(usage.output_tokens)
    return 0
  }
  const call = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }], ...change }
  expect(estimateCost({ priceUsage, clock: Date.now }, { tenantId: 'a', provider: null }, call)).toBe(0)
  return found
}

describe('the assumed response of a call', () => {
  it.each<[string, Partial<ModelCall>, number]>([
    ['no limit', {}, 1_024],
    ['a limit', { parameters: { max_tokens: 77 } }, 77],
    ['a budget of reasoning', { parameters: { reasoning_budget: 5_000 } }, 6_024],
    ['a budget that the model chooses', { parameters: { reasoning_budget: -1 } }, 1_024],
    ['a limit below its budget', { parameters: { max_tokens: 10, reasoning_budget: 5_000 } }, 5_000],
    ['a limit in extra_body', { parameters: { max_tokens: 10 }, extra_body: { max_completion_tokens: 9_000 } }, 9_000],
    ['a nested limit', { extra_body: { generationConfig: { maxOutputTokens: 9_000 } } }, 9_000],
    ['a nested budget', { extra_body: { thinking: { type: 'enabled', budget_tokens: 9_000 } } }, 10_024],
    ['a limit that is removed', { parameters: { max_tokens: 10 }, extra_body: { max_tokens: null } }, 1_024],
    [
      'a limit under another name',
      { parameters: { max_tokens: 10 }, extra_body: { max_tokens: null, max_completion_tokens: 9_000 } },
      9_000,
    ],
    [
      'the removal of a name that is not sent',
      { parameters: { max_tokens: 9_000 }, extra_body: { maxOutputTokens: null } },
      9_000,
    ],
    ['very many limits', { extra_body: { all: Array.from({ length: 200_000 }, () => ({ max_tokens: 7 })) } }, 7],
    ['a limit that is a text', { parameters: { max_tokens: 10 }, extra_body: { max_tokens: '9000' } }, 200_000],
    ['a limit beyond all models', { parameters: { max_tokens: Number.MAX_SAFE_INTEGER } }, 200_000],
    ['no count of its tokens', { extra_body: { stream_options: null } }, 200_000],
    ['no count in its options', { extra_body: { stream_options: { include_usage: false } } }, 200_000],
    ['no count, and a limit', { parameters: { max_tokens: 10 }, extra_body: { stream_options: null } }, 10],
  ])('with %s', (_name, change, output) => {
    expect(estimate(change).output).toBe(output)
  })

  it('has messages of extra_body as its prompt too', () => {
    const messages = [{ role: 'user', content: 'x'.repeat(4_000) }]
    expect(estimate({ extra_body: { messages } }).input).toBeGreaterThan(1_000)
  })
})

describe('the assumed prompt of a call', () => {
  const base64 = 'QUJD'.repeat(250_000)
  const ofParts = (part: object) => estimate({ messages: [{ role: 'user', content: [part as never] }] }).input
  const raw = (part: object) => ofParts({ type: 'raw', raw: part })

  it.each([
    ['an image', ofParts({ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } })],
    [
      "a document in Anthropic's form",
      raw({ source: { type: 'base64', media_type: 'application/pdf', data: base64 } }),
    ],
    ["a file in OpenAI's form", raw({ type: 'file', file: { filename: 'a.pdf', file_data: base64 } })],
    ['a sound', raw({ type: 'input_audio', input_audio: { format: 'wav', data: base64 } })],
    ["a file in Gemini's form", raw({ inlineData: { mimeType: 'application/pdf', data: base64 } })],
  ])('counts %s as one file', (_name, tokens) => {
    expect(tokens).toBeGreaterThan(1_000)
    expect(tokens).toBeLessThan(2_000)
  })

  const words = 'some words '.repeat(10_000)
  it.each([
    ['a text that begins like a file', ofParts({ type: 'text', text: `data: ${words}` })],
    ['a text with base64', ofParts({ type: 'text', text: `data:text/plain;base64,${'QUJD'.repeat(30_000)}` })],
    ['words in a URL', ofParts({ type: 'image_url', image_url: { url: `data:text/plain;base64,${words}` } })],
    ['a data URL of text', raw({ url: `data:image/svg+xml,${words}` })],
    ['a document of text', raw({ source: { type: 'text', media_type: 'text/plain', data: words } })],
  ])('counts %s with its characters', (_name, tokens) => {
    expect(tokens).toBeGreaterThan(27_000)
  })
})

describe('extra_body', () => {
  it.each([
    [{ model: 'other' }, 'model'],
    [{ model: null }, 'model'],
    [{ models: ['other'] }, 'models'],
    [{ n: 50 }, 'n'],
    [{ n: '2' }, 'n'],
    [{ generationConfig: { candidateCount: 8 } }, 'candidateCount'],
    [{ generation_config: { candidate_count: 8 } }, 'candidate_count'],
    [{ model: 'm', models: null, n: 1, generationConfig: { candidateCount: null, topK: 3 } }, undefined],
    [null, undefined],
  ])('%j has a field that no limit counts: %s', (extra_body, name) => {
    expect(findUncountedField({ model: 'm', extra_body })).toBe(name)
  })
})
