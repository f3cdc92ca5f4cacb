import { describe, expect, it } from 'vitest'
import { MODEL_PROVIDER_KINDS } from './calls.ts'
import { findModelCapabilities } from './capabilities.ts'
import { DEFAULT_KEY_HEADERS, MODEL_PROVIDER_PRESETS } from './presets.ts'
import { ModelProviderCreate } from './providers.ts'

describe('capabilities of models', () => {
  it.each([
    ['openai-chat', 'gpt-4o', { known: true, maxTokensName: 'max_tokens', schemaMode: 'json_schema' }],
    ['openai-chat', 'openai/gpt-4.1-mini', { known: true, maxTokensName: 'max_tokens' }],
    ['openai-chat', 'o3-mini', { known: true, maxTokensName: 'max_completion_tokens' }],
    ['openai-chat', 'gpt-5-mini', { known: true, reasoningEfforts: ['minimal', 'low', 'medium', 'high'] }],
    ['openai-responses', 'gpt-5.1', { known: true, reasoningEfforts: ['none', 'low', 'medium', 'high'] }],
    ['openai-chat', 'gpt-3.5-turbo', { known: true, images: false, schemaMode: 'json_object' }],
    [
      'anthropic-messages',
      'claude-sonnet-4-5-20250929',
      { exclusive: [['temperature', 'top_p']], schemaMode: 'json_schema' },
    ],
    ['anthropic-messages', 'claude-3-5-haiku-latest', { known: true, schemaMode: 'tool', exclusive: [] }],
    ['gemini', 'models/gemini-2.5-flash', { known: true }],
    ['openai-chat', 'llama3.2:1b', { known: false, maxTokensName: 'max_tokens' }],
    ['openai-chat', 'o', { known: false }],
  ] as const)('over %s of %s', (kind, model, expected) => {
    expect(findModelCapabilities(kind, model)).toMatchObject(expected)
  })

  it.each([
    ['openai-chat', 'o3', 'temperature', false],
    ['openai-chat', 'o3', 'reasoning_effort', true],
    ['openai-chat', 'gpt-4o', 'temperature', true],
    ['openai-chat', 'gpt-5-chat-latest', 'temperature', true],
    ['openai-responses', 'gpt-4o', 'seed', false],
    ['anthropic-messages', 'claude-sonnet-4-5', 'reasoning_budget', true],
    ['anthropic-messages', 'claude-3-haiku-20240307', 'reasoning_budget', false],
    ['gemini', 'gemini-3-pro-preview', 'reasoning_effort', true],
    ['gemini', 'gemini-2.5-pro', 'reasoning_effort', false],
  ] as const)('over %s let %s have %s: %s', (kind, model, parameter, isOffered) => {
    expect(findModelCapabilities(kind, model).parameters.includes(parameter)).toBe(isOffered)
  })

  it('of unknown models are all that the wire format can express', () => {
    for (const kind of MODEL_PROVIDER_KINDS) {
      const { known, parameters, tools, images } = findModelCapabilities(kind, 'no-such-model')
      expect({ known, tools, images }).toEqual({ known: false, tools: true, images: true })
      expect(parameters).toContain('temperature')
      expect(parameters).toContain('max_tokens')
    }
  })

  it('are found for names of any length', () => {
    expect(findModelCapabilities('openai-chat', `${'a.'.repeat(100_000)}!`).known).toBe(false)
  })
})

describe('presets of model providers', () => {
  it.each(MODEL_PROVIDER_PRESETS)(
    '$name can be saved once its gaps are filled',
    ({ name, kind, baseUrl, keyHeader }) => {
      const base_url = baseUrl.replace('{resource}', 'mine').replace(/^https:\/\/$/, 'https://models.example.org/v1')
      const parsed = ModelProviderCreate.parse({ name, kind, base_url, key_header: keyHeader })
      expect(parsed.base_url).toBe(base_url)
      expect(DEFAULT_KEY_HEADERS[kind]).toBeDefined()
    },
  )
})
