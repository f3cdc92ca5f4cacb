import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '../../e2e/support/start-server.ts'
import { seedFeedback } from './seed-feedback.ts'
import { seedRuns } from './seed-runs.ts'
import { settle } from './settle.ts'

/**
 * Folder of a store whose project `bench` holds the given number of synthetic runs. Created once, kept below
 * `.touchstone` and reused. No server may run on it.
 */
export async function seededStore(runs: number): Promise<string> {
  const dataDir = join(fileURLToPath(new URL('../..', import.meta.url)), '.touchstone', `bench-${runs}`)
  const once = async (mark: string, work: () => Promise<void>) => {
    const done = join(dataDir, mark)
    if (existsSync(done)) return
    const began = performance.now()
    await mkdir(dataDir, { recursive: true })
    await work()
    console.log(`${mark}: ${runs.toLocaleString('en-US')} runs in ${Math.round((performance.now() - began) / 1000)} s`)
    await writeFile(done, '')
  }
  await once('seeded', async () => {
    const started = await startServer({ dataDir })
    const answer = await fetch(`${started.url}/api/v1/sessions?upsert=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'bench' }),
    })
    const created = (await answer.json()) as { id: string; tenant_id: string }
    await started.stop()
    await seedRuns(join(dataDir, 'analytics'), { tenantId: created.tenant_id, projectId: created.id, runs })
  })
  await once('seeded-feedback', () => seedFeedback(join(dataDir, 'analytics')))
  await settle(join(dataDir, 'analytics'))
  return dataDir
}
