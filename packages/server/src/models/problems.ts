import { MODEL_PROBLEMS, type ModelProblem, type ModelProblemCode } from '@touchstone/contract'
import { isRecord, member, memberAt } from '@touchstone/formats/guards'
import type { OutboundError, OutboundFailure } from '../outbound/allowed-targets.ts'
import { toList, toWord } from './wire.ts'

/** What a message about a failed call needs to know of it. */
export interface CallFacts {
  /** Of the provider, e.g. `api.openai.com`. */
  readonly host: string
  /** Name of the wire format. */
  readonly wireName: string
  readonly model: string
  readonly hasKey: boolean
  /** Fields of the body that can be removed: the provider's name → the caller's name. */
  readonly sent: ReadonlyMap<string, string>
}

const MAX_WORDS = 2000

type Details = Partial<Omit<ModelProblem, 'code' | 'message'>>

export function aProblem(code: ModelProblemCode, message: string, details: Details = {}): ModelProblem {
  return {
    code,
    message,
    provider_message: null,
    status: null,
    offending_parameter: null,
    retry_after_seconds: null,
    retry: MODEL_PROBLEMS[code].retry,
    ...details,
  }
}

const BY_FAILURE: Readonly<Record<OutboundFailure, ModelProblemCode>> = {
  rule: 'not_allowed',
  dns: 'dns',
  connection: 'connection',
  tls: 'tls',
  timeout: 'timeout',
  ended: 'cut_off',
  cancelled: 'cancelled',
}

const ADVICE: Readonly<Partial<Record<ModelProblemCode, string>>> = {
  dns: ' Its name is unknown: check the base URL.',
  connection: ' Check that the provider runs, and that this server can reach it.',
  tls: ' Check its certificate, and whether the base URL begins with the right one of http and https.',
}

/** The problem of a call that got no answer, or not all of it. */
export function toNetworkProblem({ reason, message }: OutboundError, facts: CallFacts): ModelProblem {
  const code = BY_FAILURE[reason]
  if (code === 'cut_off') return aCutOff(facts, message)
  return aProblem(code, message + (ADVICE[code] ?? ''))
}

export function aCutOff({ host }: CallFacts, detail = ''): ModelProblem {
  return aProblem('cut_off', `${host} ended the stream before the answer was complete. ${detail}`.trim())
}

/** The problem of an answer with an error status. */
export function toStatusProblem(
  { status, text, headers }: { readonly status: number; readonly text: string; readonly headers: Headers },
  facts: CallFacts,
): ModelProblem {
  const body = parse(text)
  const words = findWords(body, text)
  const parameter = status < 500 ? findOffendingParameter(body, words ?? '', facts.sent) : undefined
  const retryAfter = status === 429 || status >= 500 ? readRetryAfter(headers) : null
  const code = toCode(status, body, words ?? '', facts.model)
  const isParameter = code === 'invalid_request' && parameter !== undefined
  return aProblem(
    code,
    toMessage(code, { status, parameter: isParameter ? parameter : undefined, retryAfter }, facts),
    {
      provider_message: words ?? null,
      status,
      offending_parameter: isParameter ? parameter : null,
      retry_after_seconds: retryAfter,
    },
  )
}

type Headers = Readonly<Record<string, string>>

/** The problem that a provider reports within a stream. */
export function toStreamProblem(error: unknown, facts: CallFacts): ModelProblem {
  const words = findWords(error, '')
  const kind = readErrorCodes(error)
  const code = /quota|credit/i.test(kind)
    ? 'no_credit'
    : /rate_limit|429/.test(kind)
      ? 'rate_limited'
      : /invalid|context_length|\b400\b/.test(kind)
        ? 'invalid_request'
        : 'provider_failed'
  const parameter = code === 'invalid_request' ? findOffendingParameter(error, words ?? '', facts.sent) : undefined
  return aProblem(code, `${facts.host} reported an error within its answer.`, {
    provider_message: words ?? null,
    offending_parameter: parameter ?? null,
  })
}

function toCode(status: number, body: unknown, words: string, model: string): ModelProblemCode {
  if (status === 401) return 'unauthorized'
  const kind = readErrorCodes(body)
  if (status === 402 || (status === 429 && /quota|credit|billing|balance/i.test(kind))) return 'no_credit'
  if (status === 429) return 'rate_limited'
  if (status >= 500 || status === 408 || status === 409) return status === 408 ? 'timeout' : 'provider_failed'
  if (isAboutModel(status, kind, words, model)) return 'unknown_model'
  if (status === 403) return 'forbidden'
  // A bad key is a mistake of the request to Google.
  if (/api[ _]key[ _](not[ _]valid|invalid)/i.test(`${kind} ${words}`)) return 'unauthorized'
  if (status === 404 || status === 405) return 'wrong_path'
  if (status === 413) return 'invalid_request'
  return status >= 400 && status < 500 ? 'invalid_request' : 'invalid_reply'
}

const NO_MODEL =
  /not[ _]found|not exist|no such|unknown|invalid model|not a valid model|not supported for|unsupported model|pulling it/i

/** Providers answer 400, 403, 404 or 422 for a model that they do not know. */
function isAboutModel(status: number, kind: string, words: string, model: string): boolean {
  if (![400, 403, 404, 422].includes(status)) return false
  if (/model_not_found|DeploymentNotFound|invalid_model/i.test(kind)) return true
  if (/^model: /.test(words)) return true // Anthropic
  const isNamed = /\b(model|deployment)\b/i.test(words) || (model !== '' && words.includes(model))
  return isNamed && NO_MODEL.test(words)
}

interface MessageFacts {
  readonly status: number
  readonly parameter: string | undefined
  readonly retryAfter: number | null
}

function toMessage(code: ModelProblemCode, { status, parameter, retryAfter }: MessageFacts, facts: CallFacts): string {
  const { host, model, hasKey, wireName } = facts
  const later = retryAfter === null ? 'Retry later.' : `Retry in ${retryAfter} s.`
  switch (code) {
    case 'unauthorized':
      return hasKey
        ? `${host} rejects the key (${status}). Check the key, and the header in which it is sent.`
        : `${host} requires a key (${status}). Enter one.`
    case 'forbidden':
      return `${host} refuses this (${status}). The key may lack the right, or the model may not be enabled for it.`
    case 'no_credit':
      return `The account at ${host} has no credit left (${status}).`
    case 'rate_limited':
      return `${host} limits the number of calls (${status}). ${later}`
    case 'unknown_model':
      return `${host} does not know the model "${model}" (${status}).`
    case 'wrong_path':
      return `${host} has nothing at this path (${status}). Check the base URL: most end in /v1.`
    case 'invalid_request':
      return parameter === undefined
        ? `${host} rejects the request (${status}).`
        : `${host} rejects "${parameter}" (${status}). Remove it and retry.`
    case 'timeout':
    case 'provider_failed':
      return `${host} failed (${status}). ${later}`
    default:
      return `${host} did not answer in the format of ${wireName} (${status}). Check the kind and the base URL.`
  }
}

function parse(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text)
    return Array.isArray(body) && body.length === 1 ? body[0] : body
  } catch {
    return undefined
  }
}

/** The codes of an error, which providers give under several names. */
function readErrorCodes(body: unknown): string {
  const error = member(body, 'error') ?? body
  return ['code', 'status', 'type']
    .map((name) => member(error, name))
    .map((code) => (typeof code === 'number' ? String(code) : (toWord(code) ?? '')))
    .join(' ')
}

/** Characters of a page that are searched for words. Removing markup takes up to the square of this many steps. */
const MAX_PAGE = 4_000

/** The message in an answer, in one of the forms that providers use; otherwise its text without markup. */
function findWords(body: unknown, text: string): string | undefined {
  const error = member(body, 'error')
  const details = toList(member(body, 'detail')).flatMap((one) => {
    const place = toList(member(one, 'loc')).join('.')
    const words = toWord(member(one, 'msg'))
    return words === undefined ? [] : [place === '' ? words : `${place}: ${words}`]
  })
  const words =
    toWord(member(error, 'message')) ??
    toWord(error) ??
    toWord(member(body, 'message')) ??
    toWord(member(body, 'detail')) ??
    toWord(details.join('; ')) ??
    toWord(memberAt(body, 'incomplete_details', 'reason')) ??
    toWord(
      text
        .slice(0, MAX_PAGE)
        .replaceAll(/<(script|style)[^<>]*>.*?<\/\1>|<[^<>]*>/gis, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
        .slice(0, 500),
    )
  // OpenRouter passes the words of the provider behind it.
  const behind = toWord(memberAt(error, 'metadata', 'raw'))
  return (behind === undefined ? words : `${words ?? ''} ${behind}`.trim())?.slice(0, MAX_WORDS)
}

/** The parameter that a provider rejects, among those that were sent; undefined when it names none of them. */
function findOffendingParameter(body: unknown, words: string, sent: ReadonlyMap<string, string>): string | undefined {
  const named = findNamedFields(body).flatMap((name) => [name, toCamelCase(name)])
  for (const name of named) {
    const found = sent.get(name) ?? sent.get(name.split('.').at(-1) ?? '')
    if (found !== undefined) return found
  }
  // Two parameters that exclude each other are both named; the first one is as good as the second.
  const places = [...sent].flatMap(([name, own]) => {
    const at = [name, toSnakeCase(name)].map((one) => findWord(words, one)).find((place) => place >= 0)
    return at === undefined ? [] : [{ own, at }]
  })
  return places.sort((a, b) => a.at - b.at)[0]?.own
}

/** Fields that an error names in a member of its own. */
function findNamedFields(body: unknown): string[] {
  const param = toWord(memberAt(body, 'error', 'param')) ?? toWord(member(body, 'param'))
  const places = toList(member(body, 'detail')).map((one) =>
    toList(member(one, 'loc'))
      .filter((step) => step !== 'body')
      .join('.'),
  )
  const violations = toList(memberAt(body, 'error', 'details')).flatMap((detail) =>
    toList(member(detail, 'fieldViolations')).flatMap((one) => toWord(member(one, 'field')) ?? []),
  )
  return [...(param === undefined ? [] : [param]), ...places, ...violations].filter((name) => name !== '')
}

/** The place of a name that is not part of a longer one. */
function findWord(text: string, name: string): number {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + name.length]]
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return at
  }
  return -1
}

const toCamelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const toSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const MAX_RETRY_SECONDS = 24 * 3600

function readRetryAfter(headers: Headers): number | null {
  const ms = Number(headers['retry-after-ms'])
  const text = headers['retry-after'] ?? ''
  const seconds =
    ms > 0 ? ms / 1000 : /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  if (!Number.isFinite(seconds)) return null
  return Math.min(MAX_RETRY_SECONDS, Math.max(0, Math.round(seconds * 1000) / 1000))
}

/** Whether an answer with a good status is the report of an error all the same. */
export function isErrorBody(body: unknown): boolean {
  return isRecord(body) && member(body, 'error') != null && !('choices' in body) && !('output' in body)
}
