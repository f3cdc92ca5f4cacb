import { defaultLogger, type Logger } from '../logger.ts'
import type { PromptCache } from '../prompts/prompt-cache.ts'
import type { CallerOptions, ClientConfig } from './client-config.ts'
import { env, envIsTrue } from './env.ts'

/** A self-hosted server's own address: never a third party's cloud. */
export const DEFAULT_API_URL = 'http://localhost:3000/api/v1'

/** What the transport needs to know, complete. */
export interface Connection {
  apiUrl: string
  apiKey: string | undefined
  workspaceId: string | undefined
  webUrl: string | undefined
  timeoutMs: number
  maxRetries: number
  retryStatus: CallerOptions['retryStatus']
  maxConcurrency: number
  headers: Record<string, string>
  fetchOptions: RequestInit
  fetch: typeof fetch | undefined
  debug: boolean
  /** Share of traces whose runs, and feedback on them, are sent. */
  samplingRate: number | undefined
  logger: Logger
  /** `true` is the cache that all clients share. */
  promptCache: boolean | PromptCache
  onFailedResponse: CallerOptions['onFailedResponseHook']
  onAttempt: ClientConfig['onAttempt']
}

export function resolveConnection(config: ClientConfig): Connection {
  const caller = config.callerOptions ?? {}
  return {
    apiUrl: (clean(config.apiUrl) ?? clean(env('ENDPOINT')) ?? DEFAULT_API_URL).replace(/\/$/, ''),
    apiKey: clean(config.apiKey ?? env('API_KEY')),
    workspaceId: clean(config.workspaceId) ?? clean(env('WORKSPACE_ID')),
    webUrl: (clean(config.webUrl) ?? clean(env('WEB_URL')))?.replace(/\/$/, ''),
    timeoutMs: config.timeout_ms ?? 90_000,
    maxRetries: caller.maxRetries ?? 6,
    retryStatus: caller.retryStatus,
    maxConcurrency: caller.maxConcurrency ?? Number.POSITIVE_INFINITY,
    headers: { ...config.headers },
    fetchOptions: config.fetchOptions ?? {},
    fetch: config.fetchImplementation,
    debug: config.debug ?? caller.debug ?? envIsTrue('DEBUG'),
    samplingRate: samplingRateOf(config),
    logger: config.logger ?? defaultLogger,
    promptCache: config.cache ?? !config.disablePromptCache,
    onFailedResponse: caller.onFailedResponseHook,
    onAttempt: config.onAttempt,
  }
}

/** Trimmed, and without one pair of quotes, as values pasted from an `.env` file arrive. */
export function clean(value: string | undefined): string | undefined {
  const text = value?.trim().replace(/^(["'])(.*)\1$/, '$2')
  return text ? text : undefined
}

/** Reads the share of traces to record from the options or the environment. @throws when it is not between 0 and 1 */
export function samplingRateOf(config: ClientConfig): number | undefined {
  const text = env('TRACING_SAMPLING_RATE')
  return assertSamplingRate(config.tracingSamplingRate ?? (text === undefined ? undefined : Number(text)))
}

/** @throws Error when the rate is not between 0 and 1 */
function assertSamplingRate(rate: number | undefined): number | undefined {
  if (rate === undefined || (rate >= 0 && rate <= 1)) return rate
  throw new Error(`LANGSMITH_TRACING_SAMPLING_RATE must be between 0 and 1 if set. Got: ${rate}`)
}

/**
 * Host of the web pages that belong to an API address: what is configured, else the API's address without its API path,
 * else its origin. Never a guess at a third party's host.
 */
export function webHost(apiUrl: string, webUrl?: string): string {
  if (webUrl) return webUrl
  if (isLocal(apiUrl)) return new URL(apiUrl).origin
  if (apiUrl.endsWith('/api/v1')) return apiUrl.slice(0, -'/api/v1'.length)
  if (apiUrl.includes('/api') && !apiUrl.split('.', 1)[0]!.endsWith('api')) return apiUrl.replace('/api', '')
  return new URL(apiUrl).origin
}

function isLocal(apiUrl: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(apiUrl).hostname)
}
