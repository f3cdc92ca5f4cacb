import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mountedPaths, type Route, uuid7 } from '@touchstone/contract'
import { pino } from 'pino'
import type { z } from 'zod'
import { buildApp } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { createCaches, type Deps } from '../deps.ts'
import { createMetrics } from '../http/metrics.ts'
import type { MountedRoute } from '../http/serve.ts'
import type { Analytics } from '../storage/analytics/port.ts'
import { openDiskBlobs } from '../storage/blobs/disk.ts'
import { analyticsConfig, openEmptyAnalytics } from './analytics-engine.ts'
import { openUsualRelational } from './relational-engines.ts'

export interface StartedApp {
  /** `http://127.0.0.1:port` */
  readonly url: string
  readonly deps: Deps
  /** All mounted routes. */
  readonly mounted: readonly MountedRoute[]
  /** Calls a route of the contract; the body of a success is checked against the contract. */
  call<Of extends Route>(route: Of, input?: CallInput): Promise<Answered<Of>>
  /** `fetch` below the server's URL. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered<Of> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Of extends { readonly answer: infer Schema extends z.ZodType } ? z.output<Schema> : unknown
}

export interface Overrides extends Partial<Omit<Deps, 'config'>> {
  readonly config?: Partial<Config>
}

/** A real server on a free port with its own engines. Pass external dependencies, or limits, to replace them. */
export async function startApp(overrides: Overrides = {}): Promise<StartedApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-app-'))
  const config: Config = { ...readConfig([], {}), port: 0, dataDir, ...analyticsConfig, ...overrides.config }
  const relational = overrides.relational ?? (await openUsualRelational())
  const analytics = overrides.analytics ?? (await openTestAnalytics())
  const deps: Deps = {
    caches: createCaches(analytics),
    blobs: overrides.blobs ?? (await openDiskBlobs(join(dataDir, 'blobs'))),
    clock: Date.now,
    ids: uuid7,
    log: pino({ level: process.env.TOUCHSTONE_LOG_LEVEL ?? 'silent' }),
    metrics: createMetrics(),
    ...overrides,
    analytics,
    relational,
    config,
  }
  const app = await buildApp(deps)
  openApps.add(app)
  await app.listen({ port: config.port, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return {
    url,
    deps: { ...deps, analytics: app.settledAnalytics },
    mounted: app.mounted,
    call: (route, input = {}) => call(url, route, input),
    fetch: (path, init) => fetch(url + path, init),
    async close() {
      await app.close()
      openApps.delete(app)
      if (overrides.relational === undefined) await relational.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const openApps = new Set<object>()

/** How many apps are not closed: each goes on working beside the next file of this worker. */
export const countOpenApps = (): number => openApps.size

let analytics: Promise<Analytics> | undefined

/** A process can open only one chDB directory, so all apps of a test file share it; workspaces separate them. */
function openTestAnalytics(): Promise<Analytics> {
  analytics ??= openEmptyAnalytics()
  return analytics
}

async function call<Of extends Route>(url: string, route: Of, input: CallInput): Promise<Answered<Of>> {
  const hasBody = input.body !== undefined
  const response = await fetch(url + toPath(route, input), {
    method: route.method,
    headers: { ...(hasBody && { 'content-type': 'application/json' }), ...input.headers },
    ...(hasBody && { body: typeof input.body === 'string' ? input.body : JSON.stringify(input.body) }),
  })
  const text = await response.text()
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  if (response.ok) route.answer?.parse(body)
  return { status: response.status, headers: response.headers, text, body: body as Answered<Of>['body'] }
}

function toPath(route: Route, { params = {}, query = {} }: CallInput): string {
  const path = mountedPaths(route)
    .at(-1)!
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) for (const value of [values].flat()) search.append(name, value)
  return search.size === 0 ? path : `${path}?${search}`
}
