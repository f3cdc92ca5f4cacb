import type {
  ApiKey,
  NewApiKey,
  Project,
  ProjectListQuery,
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
  readRun: (id: string, _load?: { loadChildRuns?: boolean }, options?: CallOptions) =>
    call<Run>('GET', `/runs/${id}`, options),
  readTraceSpine: (traceId: string, { projectId, ...options }: CallOptions & { projectId?: string } = {}) =>
    call<TraceSpine>('GET', `/traces/${traceId}/spine${queryString({ session_id: projectId })}`, options),

  queryProjects: (query: Partial<z.input<typeof ProjectListQuery>> = {}, options?: CallOptions) =>
    call<Project[]>('GET', `/sessions${queryString(query)}`, options),
  readProject: (key: { projectId: string; includeStats?: boolean }, options?: CallOptions) =>
    call<Project>('GET', `/sessions/${key.projectId}${queryString({ include_stats: key.includeStats })}`, options),
  createProject: (params: { projectName: string; description?: string }, options?: CallOptions) =>
    call<Project>('POST', '/sessions', {
      ...options,
      body: { name: params.projectName, description: params.description },
    }),
  updateProject: (id: string, body: { name?: string; description?: string }, options?: CallOptions) =>
    call<Project>('PATCH', `/sessions/${id}`, { ...options, body }),
  deleteProject: (key: { projectId: string }, options?: CallOptions) =>
    call<void>('DELETE', `/sessions/${key.projectId}`, options),

  listApiKeys: (options?: CallOptions) => call<ApiKey[]>('GET', '/api-key', options),
  createApiKey: (params: { description?: string; readOnly?: boolean; expiresAt?: string }, options?: CallOptions) =>
    call<NewApiKey>('POST', '/api-key', {
      ...options,
      body: { description: params.description, read_only: params.readOnly, expires_at: params.expiresAt },
    }),
  revokeApiKey: (id: string, options?: CallOptions) => call<void>('DELETE', `/api-key/${id}`, options),
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
