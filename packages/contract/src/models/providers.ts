import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'
import { ModelProblem, ModelProviderKind, RawModelReply } from './calls.ts'
import { KEY_HEADERS } from './presets.ts'

const KeyHeader = z.enum(KEY_HEADERS)

/** Most providers of a workspace. */
export const MAX_MODEL_PROVIDERS = 100
/** Most typed names of models of one provider. */
export const MAX_PROVIDER_MODELS = 500

/** Headers that HTTP or the wire format needs for itself. */
const RESERVED_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|upgrade|te|trailer|expect|accept.*|user-agent)$/i

const Headers = z
  .record(
    z
      .string()
      .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'is no name of a header')
      .refine((name) => !RESERVED_HEADERS.test(name), 'is set by the server'),
    z.string().regex(/^[\t\x20-\x7e\x80-\xff]{0,4096}$/, 'is no value of a header'),
  )
  .refine((headers) => Object.keys(headers).length <= 20, 'has at most 20 headers')
  // Servers refuse more, and each reply is searched for all of them.
  .refine(
    (headers) => Object.values(headers).reduce((sum, value) => sum + value.length, 0) <= 16_384,
    'has more than 16384 characters in all values',
  )

/** Parameters of a URL under which keys are sent; a URL is shown, so it must not contain one. */
const SECRET_PARAMETERS = /^(?:key|api[-_]?key|access[-_]?token|token|secret|sig|signature|password|code)$/i

const BaseUrl = z
  .string()
  .max(2000)
  .transform((text, context) => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (!URL.canParse(text)) return refuse('is no URL')
    const url = new URL(text)
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('is no URL with http or https')
    if (url.username !== '' || url.password !== '') return refuse('has a user name or password; use a header')
    if (url.hash !== '') return refuse('has a fragment (#)')
    const secret = [...url.searchParams.keys()].find((name) => SECRET_PARAMETERS.test(name))
    if (secret !== undefined) return refuse(`has a secret in "${secret}"; use the key of the provider`)
    url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '')
    return url.href.replace(/\/(?=$|\?)/, '')
  })
  .meta({ type: 'string', format: 'uri' })

/** Printable ASCII without characters that JSON escapes, so that it is found wherever a provider repeats it. */
const Key = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,4096}$/, 'is not printable ASCII without spaces and quotes')

const fields = {
  /** Unique in the workspace. */
  name: repairedText(100).trim().min(1, 'is empty'),
  kind: ModelProviderKind,
  /** The URL before `/chat/completions`, `/responses`, `/messages` or `/models`, e.g. `https://api.openai.com/v1`. */
  base_url: BaseUrl,
  /** Encrypted where it is stored, and never returned. */
  key: Key.nullish(),
  /** @default `authorization`, `x-api-key` for Anthropic, `x-goog-api-key` for Gemini */
  key_header: KeyHeader.nullish(),
  /** Sent with each call. Encrypted; each value is listed as `********`, and writing that back keeps it. */
  headers: Headers.nullish(),
  /** What runs and prices call this provider (`ls_provider`), e.g. `openai`. */
  provider: identifierText(300).nullish(),
  /** Names of models beside those that the provider lists. */
  models: z.array(identifierText(300).min(1, 'is empty')).max(MAX_PROVIDER_MODELS).nullish(),
}

export const ModelProviderCreate = z.object(fields)
export type ModelProviderCreate = z.output<typeof ModelProviderCreate>

/**
 * Absent means unchanged. Another `kind`, `base_url` or header removes the stored key, so that it is never sent to a place
 * that it was not entered for; another `base_url` also removes headers whose values are not given again. Give `key` with
 * the change to keep calls working; `null` removes it.
 */
export const ModelProviderUpdate = z.object({
  ...fields,
  name: fields.name.optional(),
  kind: fields.kind.optional(),
  base_url: fields.base_url.optional(),
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. Of `headers`, whose values are hidden, only the names count. An extension of ours.
   */
  expected: z
    .object({
      name: z.string(),
      kind: z.string(),
      base_url: z.string(),
      key_header: z.string(),
      headers: z.record(z.string(), z.string()),
      provider: z.string().nullable(),
      models: z.array(z.string()),
    })
    .partial()
    .nullish(),
})
export type ModelProviderUpdate = z.output<typeof ModelProviderUpdate>

export const ModelProvider = z.object({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  kind: ModelProviderKind,
  base_url: z.string(),
  key_header: KeyHeader,
  /** Each value hidden. */
  headers: z.record(z.string(), z.string()),
  provider: z.string().nullable(),
  models: z.array(z.string()),
  key_set: z.boolean(),
  /** Null without a key, and for a key of fewer than 16 characters. */
  key_last_four: z.string().nullable(),
  /** Id of the secret key of the server with which key and headers are encrypted. */
  key_id: z.string().nullable(),
  /** False: the server has no secret key of that id, so key and headers must be entered again. */
  key_readable: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Whether this change removed the key. */
  key_cleared: z.boolean(),
  /** Headers that this change removed. */
  cleared_headers: z.array(z.string()),
})
export type ModelProvider = z.infer<typeof ModelProvider>

/**
 * A provider as a form has it. With the id of a stored one, its key and hidden headers are used, if kind, base URL and
 * headers are unchanged.
 */
export const ModelProviderTest = z.object({
  provider: z.object({
    id: Uuid.nullish(),
    kind: fields.kind,
    base_url: fields.base_url,
    key: fields.key,
    key_header: fields.key_header,
    headers: fields.headers,
  }),
  /** Model of a short call; absent: only its list of models is read. */
  model: z.string().min(1).max(300).nullish(),
})
export type ModelProviderTest = z.output<typeof ModelProviderTest>

/** One request of a test. */
export const ModelProviderTestStep = z.object({
  /** Reading the list of models, or a call of at most 16 tokens. */
  step: z.enum(['models', 'call']),
  latency_ms: z.number(),
  /** Null when it succeeded. */
  problem: ModelProblem.nullable(),
  /** Beginning of the raw answer; null without one. */
  reply: RawModelReply.nullable(),
})
export type ModelProviderTestStep = z.infer<typeof ModelProviderTestStep>

export const ModelProviderTestAnswer = z.object({
  /** The call succeeded, or without a model the list of models. */
  works: z.boolean(),
  /** Why it does not work; null if it does. */
  problem: ModelProblem.nullable(),
  steps: z.array(ModelProviderTestStep),
  /** Models that the provider lists, at most 2000. */
  models: z.array(z.string()),
})
export type ModelProviderTestAnswer = z.infer<typeof ModelProviderTestAnswer>

export const MAX_LISTED_MODELS = 2000

export const AvailableModel = z.object({
  id: z.string(),
  /** Listed by the provider, typed for it, known from the price table. */
  sources: z.array(z.enum(['provider', 'typed', 'prices'])),
  /** Whether runs of it get a cost. */
  has_price: z.boolean(),
})
export type AvailableModel = z.infer<typeof AvailableModel>

/** Counts by the secret key that encrypts something. */
const SealedCounts = z.object({
  current: z.int(),
  /** With another key that the server has: rotate them, then remove that key. */
  older: z.int(),
  /** With a key that the server does not have. */
  unreadable: z.int(),
})

/** Secret keys of the server and what they encrypt. */
export const SecretKeyStatus = z.object({
  /** `environment`: TOUCHSTONE_SECRET_KEY; `file`: `secret-key` of the data directory; `none`: not made yet. */
  source: z.enum(['environment', 'file', 'none']),
  /** Id of the key that encrypts; null for none yet. */
  current_key_id: z.string().nullable(),
  /** Providers of all workspaces with a key or headers. */
  providers: SealedCounts,
  /** Notification channels of all workspaces. */
  channels: SealedCounts,
})
export type SecretKeyStatus = z.infer<typeof SecretKeyStatus>

const tag = 'model providers'
const extension = true
const params = z.object({ provider_id: Uuid })

export const modelProviderRoutes = describeRoutes(routes.modelProviders, tag, {
  list: {
    extension,
    summary: 'Providers of the workspace, by name; never with their keys',
    answer: z.array(ModelProvider),
  },
  create: {
    extension,
    summary: 'Add a provider; 409 for a name that is taken',
    body: ModelProviderCreate,
    answer: ModelProvider,
  },
  read: { extension, summary: 'One provider', params, answer: ModelProvider },
  update: {
    extension,
    summary: 'Change a provider; another kind, base URL or header removes its key',
    params,
    body: ModelProviderUpdate,
    answer: ModelProvider,
  },
  delete: { extension, summary: 'Remove a provider with its key', params },
  test: {
    extension,
    summary: 'Call a provider, stored or not, and say what works and what does not, with its own words',
    body: ModelProviderTest,
    answer: ModelProviderTestAnswer,
  },
  listModels: {
    extension,
    summary: 'Models that the provider lists, that were typed for it, and that have a price',
    params,
    answer: z.object({
      models: z.array(AvailableModel),
      /** Why the provider lists none; null when it answered. */
      problem: ModelProblem.nullable(),
    }),
  },
  keyStatus: {
    extension,
    summary:
      'With which secret keys of the server the keys of all providers and the notification channels are encrypted',
    answer: SecretKeyStatus,
  },
  rotateKeys: {
    extension,
    summary: 'Encrypt the keys of all providers and the notification channels with the first secret key of the server',
    answer: SecretKeyStatus,
  },
})
