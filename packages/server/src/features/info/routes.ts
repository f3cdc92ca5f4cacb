import { statfs } from 'node:fs/promises'
import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { App } from '../../http/router.ts'
import { serve } from '../../http/serve.ts'
import { describeServer } from './describe-server.ts'

export function infoRoutes(app: App, { config }: Pick<Deps, 'config'>): void {
  serve(app, contract.info.read, async () => describeServer(config))

  serve(app, contract.info.ok, async () => ({ ok: true }))

  serve(app, contract.info.health, async () => {
    const { bavail, blocks } = await statfs(config.dataDir)
    return { clickhouse_disk_free_pct: Math.round((bavail / blocks) * 1000) / 10 }
  })
}
