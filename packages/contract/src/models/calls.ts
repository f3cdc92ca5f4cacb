import { z } from 'zod'
import { JsonRecord } from '../wire/json-record.ts'

/*
 * Calls of models: messages, tools, parameters, usage and failures in one form for all providers. The form is that of
 * OpenAI's chat messages, because traces contain it already.
 */

/** Wire formats of model providers. Azure, Ollama, vLLM, OpenRouter and others use `openai-chat`. */
export const MODEL_PROVIDER_KINDS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const
export const ModelProviderKind = z.enum(MODEL_PROVIDER_KINDS)
export type ModelProviderKind = z.infer<typeof ModelProviderKind>

/** Characters of one text of a message, and of one image as a data URL. */
const MAX_TEXT = 20_000_000
const Name = z.string().min(1).max(200)

export const ModelMessagePart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().max(MAX_TEXT) }),
  z.object({
    type: z.literal('image_url'),
    /** `url` is an https URL or a data URL such as `data:image/png;base64,…`. */
    image_url: z.object({ url: z.string().max(MAX_TEXT), detail: z.enum(['auto', 'low', 'high']).nullish() }),
  }),
  /** A part in the provider's own form, sent unchanged. */
  z.object({ type: z.literal('raw'), raw: JsonRecord }),
])
export type ModelMessagePart = z.infer<typeof ModelMessagePart>

const Content = z.union([z.string().max(MAX_TEXT), z.array(ModelMessagePart).max(1000)])

export const ModelToolCall = z.object({
  id: z.string().max(500),
  type: z.literal('function').default('function'),
  /** `arguments` is JSON text as the model wrote it, which may be invalid. */
  function: z.object({ name: Name, arguments: z.string().max(MAX_TEXT) }),
  /** Proof of the provider that the call came from its model; send it back with the call. */
  signature: z.string().max(MAX_TEXT).nullish(),
})
export type ModelToolCall = z.infer<typeof ModelToolCall>

export const ModelMessage = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content: Content }),
  z.object({ role: z.literal('user'), content: Content }),
  z.object({
    role: z.literal('assistant'),
    content: Content.nullish(),
    tool_calls: z.array(ModelToolCall).max(500).nullish(),
    /** What the model thought before it answered. */
    reasoning: z.string().max(MAX_TEXT).nullish(),
    /** Like `signature` of a tool call, of the reasoning. */
    reasoning_signature: z.string().max(MAX_TEXT).nullish(),
    /** The provider of this signature, which is sent to no other. Unknown: it is sent to Anthropic. */
    reasoning_signed_by: z.enum(['anthropic', 'gemini', 'openai']).nullish(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string().max(500), content: Content }),
])
export type ModelMessage = z.infer<typeof ModelMessage>
export type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>

export const ModelTool = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    function: z.object({
      name: Name,
      description: z.string().max(100_000).nullish(),
      /** JSON schema of the arguments. */
      parameters: JsonRecord.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
  /** A tool of the provider itself, such as its web search, sent unchanged. */
  z.object({ type: z.literal('raw'), raw: JsonRecord }),
])
export type ModelTool = z.infer<typeof ModelTool>

export const ModelToolChoice = z.union([z.enum(['auto', 'none', 'required']), z.object({ name: Name })])
export type ModelToolChoice = z.infer<typeof ModelToolChoice>

/** The schema that the answer must match. */
export const ModelOutputSchema = z.object({
  name: z.string().regex(/^[\w-]{1,64}$/, 'has characters other than letters, digits, _ and -'),
  schema: JsonRecord,
  /** @default true */
  strict: z.boolean().nullish(),
})
export type ModelOutputSchema = z.infer<typeof ModelOutputSchema>

/** Parameters that all wire formats know under some name. Absent ones are not sent. */
export const ModelParameters = z.object({
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  seed: z.int().nullish(),
  stop: z.array(z.string().max(1000)).max(16).nullish(),
  max_tokens: z.int().min(1).nullish(),
  /** `low`, `medium`, `high` or another word of the provider. */
  reasoning_effort: z.string().max(50).nullish(),
  /** Most tokens of reasoning. */
  reasoning_budget: z.int().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
})
export type ModelParameters = z.infer<typeof ModelParameters>
export type ModelParameterName = keyof ModelParameters

/** One call of a model. */
export const ModelCall = z.object({
  model: z.string().min(1).max(300),
  messages: z.array(ModelMessage).min(1).max(5000),
  tools: z.array(ModelTool).max(500).nullish(),
  tool_choice: ModelToolChoice.nullish(),
  output_schema: ModelOutputSchema.nullish(),
  parameters: ModelParameters.nullish(),
  /** Fields that are added to the body unchanged; objects are merged, and `null` removes a field that was set. */
  extra_body: JsonRecord.nullish(),
})
export type ModelCall = z.infer<typeof ModelCall>

/** Tokens as the provider counted them; null when it did not. */
export const ModelTokens = z.object({
  /** All tokens of the prompt, cached ones included. */
  prompt_tokens: z.int().nullable(),
  /** All tokens of the answer, reasoning included. */
  completion_tokens: z.int().nullable(),
  total_tokens: z.int().nullable(),
  cache_read_tokens: z.int().nullable(),
  cache_write_tokens: z.int().nullable(),
  reasoning_tokens: z.int().nullable(),
})
export type ModelTokens = z.infer<typeof ModelTokens>

/** Why a model stopped. */
export const ModelFinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'other'])
export type ModelFinishReason = z.infer<typeof ModelFinishReason>

/** Ways in which a call of a provider fails, each with whether the same call may succeed later. */
export const MODEL_PROBLEMS = {
  /** The server may not call this host. */
  not_allowed: { retry: false },
  dns: { retry: false },
  /** Refused, reset or unreachable. */
  connection: { retry: true },
  tls: { retry: false },
  timeout: { retry: true },
  /** 401: the key is wrong or missing. */
  unauthorized: { retry: false },
  /** 403: the key may not do this. */
  forbidden: { retry: false },
  /** Before a call: a monthly limit of the workspace or of the provider does not allow it. */
  spending_limit: { retry: false },
  /** 402, and 429 without credit. */
  no_credit: { retry: false },
  /** 404 that is not about a model: the base URL is wrong. */
  wrong_path: { retry: false },
  unknown_model: { retry: false },
  /** Another 4xx; `offending_parameter` names the parameter if the provider did. */
  invalid_request: { retry: false },
  rate_limited: { retry: true },
  /** 5xx, and failures within a stream. */
  provider_failed: { retry: true },
  /** The stream ended before the answer did. */
  cut_off: { retry: true },
  /** The answer is not in the wire format of the provider's kind. */
  invalid_reply: { retry: false },
  /** The answer is larger than the limit. */
  too_large: { retry: false },
  cancelled: { retry: true },
  /** Before a call: a variable of its templates has no value. */
  missing_variable: { retry: false },
  /** Before a call: a template or the messages that it gives are invalid. */
  invalid_template: { retry: false },
  /** The stored key cannot be decrypted with the secret keys of this server. */
  unreadable_key: { retry: false },
} as const satisfies Record<string, { readonly retry: boolean }>

export type ModelProblemCode = keyof typeof MODEL_PROBLEMS

/** A failed call. It never contains the key of the provider. */
export const ModelProblem = z.object({
  code: z.enum(Object.keys(MODEL_PROBLEMS) as [ModelProblemCode, ...ModelProblemCode[]]),
  /** What failed and what to do. */
  message: z.string(),
  /** The provider's own words, at most 2000 characters. */
  provider_message: z.string().nullable(),
  /** HTTP status of the answer; null without one. */
  status: z.int().nullable(),
  /** The parameter, or the field of `extra_body`, that the provider rejects; a call without it may succeed. */
  offending_parameter: z.string().nullable(),
  retry_after_seconds: z.number().nullable(),
  /** Whether the same call may succeed later. */
  retry: z.boolean(),
})
export type ModelProblem = z.infer<typeof ModelProblem>

/** A request as it was sent; values of secret headers are `********`. */
export const RawModelRequest = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The first 1 MB of the JSON text. */
  body: z.string(),
  truncated: z.boolean(),
})
export type RawModelRequest = z.infer<typeof RawModelRequest>

/** An answer as it came: JSON, or the events of a stream. */
export const RawModelReply = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  /** The first 1 MB. */
  body: z.string(),
  truncated: z.boolean(),
})
export type RawModelReply = z.infer<typeof RawModelReply>
