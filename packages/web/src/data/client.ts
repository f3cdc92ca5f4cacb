import type {
  ApiKey,
  ApiKeyCreate,
  NewApiKey,
  Project,
  ProjectCreate,
  ProjectListQuery,
  ProjectUpdate,
  Resolved,
  Run,
  RunPage,
  RunQueryInput,
  ServerInfo,
  Settings,
  TraceSpine,
  Workspace,
} from '@touchstone/contract'
import type { z } from 'zod'
import { readKey } from './api-key.ts'

export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** An answer that was not a success. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  constructor(
    message: string,
    readonly status: number,
    readonly requestId: string | undefined,
  ) {
    super(message)
  }
}

const base = `${location.origin}/api/v1`

/** The public API, as the SDK's `Client` names its calls. */
export const client = {
  getInfo: (options?: CallOptions) => call<ServerInfo>('GET', '/info', options),
  getSettings: (options?: CallOptions) => call<Settings>('GET', '/settings', options),
  listWorkspaces: (options?: CallOptions) => call<Workspace[]>('GET', '/workspaces', options),
  resolveId: (id: string, options?: CallOptions) => call<Resolved>('GET', `/resolve/${id}`, options),

  queryRuns: (body: RunQueryInput, options?: CallOptions) => call<RunPage>('POST', '/runs/query', { ...options, body }),
  readRun: (id: string, query: { session_id?: string; start_time?: string } = {}, options?: CallOptions) =>
    call<Run>('GET', `/runs/${id}${queryString(query)}`, options),
  readTraceSpine: (traceId: string, query: { session_id?: string } = {}, options?: CallOptions) =>
    call<TraceSpine>('GET', `/traces/${traceId}/spine${queryString(query)}`, options),

  queryProjects: (query: Partial<ProjectListQuery> = {}, options?: CallOptions) =>
    call<Project[]>('GET', `/sessions${queryString(query)}`, options),
  readProject: (id: string, query: { include_stats?: boolean } = {}, options?: CallOptions) =>
    call<Project>('GET', `/sessions/${id}${queryString(query)}`, options),
  createProject: (body: z.input<typeof ProjectCreate>, options?: CallOptions) =>
    call<Project>('POST', '/sessions', { ...options, body }),
  updateProject: (id: string, body: z.input<typeof ProjectUpdate>, options?: CallOptions) =>
    call<Project>('PATCH', `/sessions/${id}`, { ...options, body }),
  deleteProject: (id: string, options?: CallOptions) => call<unknown>('DELETE', `/sessions/${id}`, options),

  listApiKeys: (options?: CallOptions) => call<ApiKey[]>('GET', '/api-key', options),
  createApiKey: (body: z.input<typeof ApiKeyCreate>, options?: CallOptions) =>
    call<NewApiKey>('POST', '/api-key', { ...options, body }),
  revokeApiKey: (id: string, options?: CallOptions) => call<ApiKey>('DELETE', `/api-key/${id}`, options),
}

async function call<Answer>(method: string, path: string, options: CallOptions & { body?: unknown } = {}) {
  const key = readKey()
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  const text = await response.text()
  if (!response.ok) throw failureOf(response, text)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

function failureOf(response: Response, text: string): HttpFailure {
  const requestId = response.headers.get('x-request-id') ?? undefined
  return new HttpFailure(messageOf(text) ?? `The server answered ${response.status}.`, response.status, requestId)
}

function messageOf(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
    if (Array.isArray(detail)) return detail.map((problem: { msg?: string }) => problem.msg).join('; ')
  } catch {}
  return undefined
}

function queryString(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
