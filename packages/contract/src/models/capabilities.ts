import type { ModelParameterName, ModelProviderKind } from './calls.ts'

/** What a model accepts. It decides what a form offers, never what is sent: the provider has the last word. */
export interface ModelCapabilities {
  /** False: the table does not know the model, so everything that its wire format can express is offered. */
  readonly known: boolean
  readonly parameters: readonly ModelParameterName[]
  /** Pairs of parameters of which only one may be sent. */
  readonly exclusive: readonly (readonly [ModelParameterName, ModelParameterName])[]
  /** Values of `reasoning_effort`; empty when any word may be tried or none exists. */
  readonly reasoningEfforts: readonly string[]
  /** Name of `max_tokens` in the chat completions format. */
  readonly maxTokensName: 'max_tokens' | 'max_completion_tokens'
  readonly tools: boolean
  readonly images: boolean
  /** How a schema of the answer is enforced: by the provider, by a tool that the model must call, or as any JSON. */
  readonly schemaMode: 'json_schema' | 'tool' | 'json_object'
}

interface Rule extends Partial<Omit<ModelCapabilities, 'known'>> {
  /** Matches the whole name of a model without the words of its host (`openai/`, `models/`). */
  readonly pattern: RegExp
  readonly kinds?: readonly ModelProviderKind[]
}

const SAMPLING = ['temperature', 'top_p'] as const
const PENALTIES = ['frequency_penalty', 'presence_penalty'] as const

/** What each wire format can express: the capabilities of a model that no rule matches. */
const BY_KIND: Readonly<Record<ModelProviderKind, Omit<ModelCapabilities, 'known'>>> = {
  'openai-chat': {
    parameters: [
      ...SAMPLING,
      'top_k',
      ...PENALTIES,
      'seed',
      'stop',
      'max_tokens',
      'reasoning_effort',
      'parallel_tool_calls',
    ],
    exclusive: [],
    reasoningEfforts: [],
    maxTokensName: 'max_tokens',
    tools: true,
    images: true,
    schemaMode: 'json_schema',
  },
  'openai-responses': {
    parameters: [...SAMPLING, 'max_tokens', 'reasoning_effort', 'parallel_tool_calls'],
    exclusive: [],
    reasoningEfforts: [],
    maxTokensName: 'max_completion_tokens',
    tools: true,
    images: true,
    schemaMode: 'json_schema',
  },
  'anthropic-messages': {
    parameters: [...SAMPLING, 'top_k', 'stop', 'max_tokens', 'reasoning_budget', 'parallel_tool_calls'],
    exclusive: [],
    reasoningEfforts: [],
    maxTokensName: 'max_tokens',
    tools: true,
    images: true,
    schemaMode: 'tool',
  },
  gemini: {
    parameters: [
      ...SAMPLING,
      'top_k',
      ...PENALTIES,
      'seed',
      'stop',
      'max_tokens',
      'reasoning_effort',
      'reasoning_budget',
    ],
    exclusive: [],
    reasoningEfforts: [],
    maxTokensName: 'max_tokens',
    tools: true,
    images: true,
    schemaMode: 'json_schema',
  },
}

const OPENAI: readonly ModelProviderKind[] = ['openai-chat', 'openai-responses']
const REASONING_ONLY = ['seed', 'max_tokens', 'reasoning_effort', 'parallel_tool_calls'] as const
const CHAT = [...SAMPLING, ...PENALTIES, 'seed', 'stop', 'max_tokens', 'parallel_tool_calls'] as const

/** The first rule that matches holds; what it leaves out comes from the wire format. */
const RULES: readonly Rule[] = [
  // OpenAI: reasoning models refuse sampling parameters and `max_tokens`.
  { kinds: OPENAI, pattern: /gpt-5(\.\d+)?-chat.*/, parameters: CHAT, maxTokensName: 'max_completion_tokens' },
  {
    kinds: OPENAI,
    pattern: /gpt-5(-.*)?/,
    parameters: REASONING_ONLY,
    reasoningEfforts: ['minimal', 'low', 'medium', 'high'],
    maxTokensName: 'max_completion_tokens',
  },
  {
    kinds: OPENAI,
    pattern: /gpt-5\.\d+.*/,
    parameters: REASONING_ONLY,
    reasoningEfforts: ['none', 'low', 'medium', 'high'],
    maxTokensName: 'max_completion_tokens',
  },
  {
    kinds: OPENAI,
    pattern: /o1-(mini|preview).*/,
    parameters: ['seed', 'max_tokens'],
    maxTokensName: 'max_completion_tokens',
    tools: false,
    images: false,
    schemaMode: 'json_object',
  },
  {
    kinds: OPENAI,
    pattern: /o[1-9](-.*)?/,
    parameters: REASONING_ONLY,
    reasoningEfforts: ['low', 'medium', 'high'],
    maxTokensName: 'max_completion_tokens',
  },
  { kinds: OPENAI, pattern: /(gpt-4\.1|gpt-4o|chatgpt-4o).*/, parameters: CHAT },
  { kinds: OPENAI, pattern: /gpt-4-turbo.*/, parameters: CHAT, schemaMode: 'json_object' },
  { kinds: OPENAI, pattern: /(gpt-4|gpt-3\.5).*/, parameters: CHAT, images: false, schemaMode: 'json_object' },
  // Anthropic: from 4.1 on, only one of the two sampling parameters.
  {
    pattern: /claude-(opus|sonnet|haiku)-(4-[5-9]|[5-9]).*/,
    kinds: ['anthropic-messages'],
    exclusive: [['temperature', 'top_p']],
    schemaMode: 'json_schema',
  },
  {
    pattern: /claude-(opus|sonnet)-4.*/,
    kinds: ['anthropic-messages'],
    exclusive: [['temperature', 'top_p']],
  },
  { pattern: /claude-3-7.*/, kinds: ['anthropic-messages'] },
  {
    pattern: /claude-3.*/,
    kinds: ['anthropic-messages'],
    parameters: [...SAMPLING, 'top_k', 'stop', 'max_tokens', 'parallel_tool_calls'],
  },
  // Google: a level from 3 on, a budget before.
  {
    pattern: /gemini-([3-9]|\d\d).*/,
    kinds: ['gemini'],
    parameters: [...SAMPLING, 'top_k', 'seed', 'stop', 'max_tokens', 'reasoning_effort'],
    reasoningEfforts: ['low', 'high'],
  },
  {
    pattern: /gemini-2\.5.*/,
    kinds: ['gemini'],
    parameters: [...SAMPLING, 'top_k', 'seed', 'stop', 'max_tokens', 'reasoning_budget'],
  },
  {
    pattern: /gemini-(1|2)\..*/,
    kinds: ['gemini'],
    parameters: [...SAMPLING, 'top_k', ...PENALTIES, 'seed', 'stop', 'max_tokens'],
  },
  // Others behind the chat completions format.
  {
    pattern: /deepseek-reasoner/,
    kinds: ['openai-chat'],
    parameters: ['max_tokens', 'stop'],
    images: false,
    schemaMode: 'json_object',
  },
  {
    pattern: /deepseek-chat/,
    kinds: ['openai-chat'],
    parameters: [...SAMPLING, ...PENALTIES, 'stop', 'max_tokens'],
    images: false,
    schemaMode: 'json_object',
  },
  {
    pattern: /gpt-oss.*/,
    kinds: ['openai-chat'],
    reasoningEfforts: ['low', 'medium', 'high'],
    images: false,
  },
]

/** Hosts put their own words before the name of a model. */
const HOST_WORDS = /^([a-z\d_-]+[./])+(?=(gpt|o\d|chatgpt|claude|gemini|deepseek))/i

/** Returns what a model accepts over a wire format. */
export function findModelCapabilities(kind: ModelProviderKind, model: string): ModelCapabilities {
  const name = model.slice(0, 300).replace(HOST_WORDS, '').toLowerCase()
  const rule = RULES.find(({ kinds, pattern }) => (kinds?.includes(kind) ?? true) && matchesWhole(pattern, name))
  const general = BY_KIND[kind]
  if (rule === undefined) return { ...general, known: false }
  const { pattern: _pattern, kinds: _kinds, ...specific } = rule
  const merged = { ...general, ...specific, known: true }
  // A rule holds for several wire formats; each sends only what it has a name for.
  return { ...merged, parameters: merged.parameters.filter((parameter) => general.parameters.includes(parameter)) }
}

function matchesWhole(pattern: RegExp, name: string): boolean {
  return pattern.exec(name)?.[0] === name
}
