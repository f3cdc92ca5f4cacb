import type { Logger } from '../logger.ts'
import type { PromptCache } from '../prompts/prompt-cache.ts'
import type { KVMap } from '../schemas.ts'

/** Redacts one payload; gets a copy, may be asynchronous. When it throws, the payload is dropped and the run is kept. */
export type Redact = (values: KVMap) => KVMap | Promise<KVMap>

/** Options of a client. Missing options are read from the environment at the first use. */
export interface ClientConfig {
  /** API base. @default `…_ENDPOINT`, else `http://localhost:3000/api/v1` */
  apiUrl?: string | undefined
  /** Sent as `x-api-key`; blank counts as absent. @default `…_API_KEY` */
  apiKey?: string | undefined
  /** Host of generated links. @default derived from `apiUrl` */
  webUrl?: string | undefined
  /** Sent as `x-tenant-id`. @default `…_WORKSPACE_ID` */
  workspaceId?: string | undefined
  /** Milliseconds per attempt, reading the answer included. @default 90 000 */
  timeout_ms?: number | undefined
  callerOptions?: CallerOptions | undefined
  /** Passed to every `fetch` under the fields the client sets itself; a `signal` here aborts in addition to the timeout. */
  fetchOptions?: RequestInit | undefined
  /** Extra headers; cannot replace the key and workspace headers the client supplies. */
  headers?: Record<string, string> | undefined
  /** `fetch` for this client only: proxies, custom agents, tests. */
  fetchImplementation?: typeof fetch | undefined
  /** Called after each attempt of a request: whether the server answered, with whatever status, or could not be reached. */
  onAttempt?: ((isReachable: boolean) => void) | undefined
  /** Logs each request. @default `…_DEBUG === "true"` */
  debug?: boolean | undefined
  /** @default the console */
  logger?: Logger | undefined

  /** `false` sends each create and update as its own awaited request. @default true */
  autoBatchTracing?: boolean | undefined
  /** Most runs per ingest request. @default the value of the server, else 100 */
  batchSizeLimit?: number | undefined
  /** Most bytes per ingest request; a single larger run is still sent. @default the value of the server, else 24 MiB */
  batchSizeBytesLimit?: number | undefined
  /** Maximum milliseconds that a queued run waits for others. @default 250 */
  batchMaxAgeMs?: number | undefined
  /** Bytes held in the queue and in requests under way together; beyond it new runs are dropped with a warning. @default 1 GiB */
  maxIngestMemoryBytes?: number | undefined
  /** Parallel ingest requests; at least 1. @default 5 */
  traceBatchConcurrency?: number | undefined
  /** Ending a root run waits for its delivery. @default `…_TRACING_BACKGROUND === "false"` */
  blockOnRootRunFinalization?: boolean | undefined
  /** Nothing is sent until `flush()`. @default false */
  manualFlushMode?: boolean | undefined
  /** Share of traces recorded, 0–1, decided by trace id alone. @default `…_TRACING_SAMPLING_RATE`, else all */
  tracingSamplingRate?: number | undefined
  /** `true` sends `{}`; a function sends what it returns; `false` sends as is, even with an `anonymizer`. */
  hideInputs?: boolean | Redact | undefined
  hideOutputs?: boolean | Redact | undefined
  hideMetadata?: boolean | Redact | undefined
  /** Default of the three options above. It also redacts error texts. */
  anonymizer?: Redact | undefined
  /** Leaves out `extra.runtime`. @default false */
  omitTracedRuntimeInfo?: boolean | undefined
  /** Gzip ingest bodies when the server offers it. @default true unless `…_DISABLE_RUN_COMPRESSION === "true"` */
  compressRuns?: boolean | undefined

  /** Every pull of a prompt sends a request. @default false */
  disablePromptCache?: boolean | undefined
  /** A prompt cache of this client's own; a boolean turns the cache on or off (older form). @default the shared one */
  cache?: boolean | PromptCache | undefined
}

export interface CallerOptions {
  /** Ordinary requests at a time. @default Infinity */
  maxConcurrency?: number | undefined
  /** Retries after the first attempt, for calls and for ingest. @default 6 */
  maxRetries?: number | undefined
  /** Whether a call that was answered with this status is sent again. @default 408, and every status above 409 */
  retryStatus?: ((status: number) => boolean) | undefined
  /** Called with every response that is not 2xx, before the retry rule. */
  onFailedResponseHook?: ((response: Response) => unknown) | undefined
  debug?: boolean | undefined
  /** Alias of `maxIngestMemoryBytes`. */
  maxQueueSizeBytes?: number | undefined
}

/** Optional last argument of every call. */
export interface CallOptions {
  /** Aborts the call, pending retries included; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
}
