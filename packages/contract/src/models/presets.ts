import type { ModelProviderKind } from './calls.ts'

/** Headers in which a provider expects its key; with `authorization` it is sent as `Bearer <key>`. */
export const KEY_HEADERS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'] as const
export type KeyHeader = (typeof KEY_HEADERS)[number]

/** The header that the makers of a wire format use. */
export const DEFAULT_KEY_HEADERS: Readonly<Record<ModelProviderKind, KeyHeader>> = {
  'openai-chat': 'authorization',
  'openai-responses': 'authorization',
  'anthropic-messages': 'x-api-key',
  gemini: 'x-goog-api-key',
}

/** Names of the wire formats for people. */
export const MODEL_PROVIDER_KIND_NAMES: Readonly<Record<ModelProviderKind, string>> = {
  'openai-chat': 'OpenAI Chat Completions',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  gemini: 'Gemini',
}

/** A provider that people choose by its name. */
export interface ModelProviderPreset {
  readonly id: string
  readonly name: string
  readonly kind: ModelProviderKind
  /** `{…}` stands for what people fill in. */
  readonly baseUrl: string
  readonly keyHeader: KeyHeader
  /** Without a key, calls fail. */
  readonly needsKey: boolean
  /** `ls_provider` of its runs. */
  readonly provider: string | null
}

const preset = (
  id: string,
  name: string,
  kind: ModelProviderKind,
  baseUrl: string,
  more: Partial<ModelProviderPreset> = {},
): ModelProviderPreset => {
  return { id, name, kind, baseUrl, keyHeader: DEFAULT_KEY_HEADERS[kind], needsKey: true, provider: id, ...more }
}

export const MODEL_PROVIDER_PRESETS: readonly ModelProviderPreset[] = [
  preset('openai', 'OpenAI', 'openai-responses', 'https://api.openai.com/v1'),
  preset('openai-chat', 'OpenAI (Chat Completions)', 'openai-chat', 'https://api.openai.com/v1', {
    provider: 'openai',
  }),
  preset('anthropic', 'Anthropic', 'anthropic-messages', 'https://api.anthropic.com/v1'),
  preset('gemini', 'Google Gemini', 'gemini', 'https://generativelanguage.googleapis.com/v1beta', {
    provider: 'google_genai',
  }),
  preset('azure', 'Azure OpenAI', 'openai-chat', 'https://{resource}.openai.azure.com/openai/v1', {
    keyHeader: 'api-key',
  }),
  preset('ollama', 'Ollama', 'openai-chat', 'http://localhost:11434/v1', { needsKey: false }),
  preset('vllm', 'vLLM', 'openai-chat', 'http://localhost:8000/v1', { needsKey: false }),
  preset('openrouter', 'OpenRouter', 'openai-chat', 'https://openrouter.ai/api/v1'),
  preset('groq', 'Groq', 'openai-chat', 'https://api.groq.com/openai/v1'),
  preset('mistral', 'Mistral', 'openai-chat', 'https://api.mistral.ai/v1', { provider: 'mistralai' }),
  preset('deepseek', 'DeepSeek', 'openai-chat', 'https://api.deepseek.com/v1'),
  preset('custom', 'Other (OpenAI-compatible)', 'openai-chat', 'https://', { provider: null, needsKey: false }),
]
