import { readProviderUsage, toUsageMetadata } from '@touchstone/formats/usage'
import { readVariable } from '../../config/env.ts'
import { TouchstoneError } from '../../errors.ts'
import { currentFetch } from '../../transport/fetch.ts'

/** Connection to a model: any endpoint with an OpenAI-compatible API. */
export interface ProviderOptions {
  model: string
  /** Base URL including the version, without a trailing slash. @default `OPENAI_BASE_URL`, or else OpenAI's URL */
  baseUrl?: string | undefined
  /** @default `OPENAI_API_KEY`; local servers often need none */
  apiKey?: string | undefined
  headers?: Record<string, string> | undefined
  /** Provider name for price lookups. @default "openai" */
  provider?: string | undefined
  /** Additional members of the request body, e.g. `{ reasoning_effort: 'low' }`. */
  extraBody?: Record<string, unknown> | undefined
  /** Per attempt. @default 60,000 */
  timeoutMs?: number | undefined
  /** Retries after the first attempt, for 408, 409, 429, 5xx and connection errors. @default 4 */
  maxRetries?: number | undefined
}

const OPENAI = 'https://api.openai.com/v1'
const MAX_WAIT_MS = 30_000

/**
 * Posts to an endpoint and returns the parsed JSON.
 *
 * @throws TouchstoneError with the status and the provider's message
 */
export async function callModel(path: string, body: object, options: ProviderOptions): Promise<unknown> {
  const { maxRetries = 4 } = options
  for (let attempt = 0; ; attempt++) {
    const { answer, failure, retryAfterMs } = await tryOnce(path, body, options)
    if (!failure) return answer
    if (retryAfterMs === undefined || attempt >= maxRetries) throw failure
    const wait = Math.max(retryAfterMs, 2 ** attempt * 250 * (0.75 + Math.random() / 2))
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, MAX_WAIT_MS)))
  }
}

interface Attempt {
  answer?: unknown
  failure?: TouchstoneError
  /** Present when a retry may succeed. */
  retryAfterMs?: number
}

async function tryOnce(path: string, body: object, options: ProviderOptions): Promise<Attempt> {
  const baseUrl = (options.baseUrl ?? (readVariable('OPENAI_BASE_URL') || OPENAI)).replace(/\/+$/, '')
  const apiKey = options.apiKey ?? (readVariable('OPENAI_API_KEY') || undefined)
  try {
    const response = await currentFetch()(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...options.headers,
      },
      body: JSON.stringify({ model: options.model, ...body, ...options.extraBody }),
      signal: AbortSignal.timeout(options.timeoutMs ?? 60_000),
    })
    const text = await response.text()
    if (response.ok) return { answer: JSON.parse(text) }
    return toRejection(response, text, baseUrl)
  } catch (cause) {
    return {
      failure: new TouchstoneError(`The model at ${baseUrl} gave no answer: ${cause}`, { cause }),
      retryAfterMs: 0,
    }
  }
}

function toRejection(response: Response, text: string, baseUrl: string): Attempt {
  const { status } = response
  const failure = new TouchstoneError(`The model at ${baseUrl} refused [${status}]: ${text.slice(0, 1000)}`, { status })
  // An exhausted quota does not recover by waiting.
  const mayPass = ([408, 409, 429].includes(status) || status >= 500) && !text.includes('insufficient_quota')
  const seconds = Number(response.headers.get('retry-after'))
  return { failure, ...(mayPass && { retryAfterMs: seconds > 0 ? seconds * 1000 : 0 }) }
}

/** Token usage in the form that costs are computed from; `undefined` when the provider sent none. */
export function readUsageMetadata(answer: unknown) {
  const usage = readProviderUsage((answer as { usage?: unknown }).usage)
  return usage && toUsageMetadata(usage)
}
