import { statfs } from 'node:fs/promises'
import { contract, openApiDocument } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { RawJson } from '../../../http/raw-json.ts'
import { type App, serve, serveRaw } from '../../../http/serve.ts'
import { describeServer } from './describe-server.ts'

export function infoRoutes(app: App, { config, metrics }: Pick<Deps, 'config' | 'metrics'>): void {
  const { info, monitoring } = contract

  serve(app, info.read, async () => describeServer(config))

  serve(app, info.ok, async () => ({ ok: true }))

  serve(app, info.health, async () => {
    const { bavail, blocks } = await statfs(config.dataDir)
    return { clickhouse_disk_free_pct: Math.round((bavail / blocks) * 1000) / 10 }
  })

  // Hundreds of routes take a tenth of a second to print, and never change while the server runs.
  let document: RawJson | undefined
  serve(app, monitoring.openapi, async () => {
    document ??= new RawJson(JSON.stringify(openApiDocument({ version: describeServer(config).version })))
    return document
  })

  serveRaw(app, monitoring.metrics, async ({ reply }) =>
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await metrics.print()),
  )
}
