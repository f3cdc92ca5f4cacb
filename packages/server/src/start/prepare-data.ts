import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuid7 } from '@touchstone/contract'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { createCaches } from '../deps.ts'
import { createMetrics } from '../http/metrics.ts'
import { packStore } from '../storage/data-dir/prepared-data.ts'
import { openEngines } from '../storage/open-engines.ts'
import { makeCopyable } from '../storage/relational/new-database.ts'
import { createLogger } from './run-server.ts'

/** Writes the embedded stores of a new server, with all their tables, into a folder: the first start unpacks them. */
export async function prepareData(to: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-prepared-'))
  try {
    // A server without the role of a worker creates the tables of the jobs and starts none.
    const config = { ...readConfig([], {}), dataDir, roles: ['api' as const] }
    const log = createLogger('warn')
    const engines = await openEngines(config, log)
    const caches = createCaches(engines.analytics)
    const app = await buildApp({
      config,
      log,
      clock: Date.now,
      ids: uuid7,
      metrics: createMetrics(),
      caches,
      ...engines,
    })
    await app.ready()
    await app.close()
    await makeCopyable(engines.relational)
    await engines.close()
    rmSync(join(dataDir, 'relational/postmaster.pid'), { force: true })
    packStore('relational', dataDir, to)
    packStore('analytics', dataDir, to)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
