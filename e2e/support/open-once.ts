import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from './start-server.ts'

/**
 * The first start on an empty folder creates a database cluster, which takes seconds. It is done once here and copied
 * for all suites; `start.test.ts` still starts on an empty folder.
 */
export default async function openOnce() {
  if (process.env.TOUCHSTONE_E2E_TEMPLATE) return
  const template = await mkdtemp(join(tmpdir(), 'touchstone-template-'))
  const server = await startServer({ dataDir: template, timeoutMs: 300_000 })
  await server.stop()
  process.env.TOUCHSTONE_E2E_TEMPLATE = template
  // Filled by the first journey that needs it (big-project.ts). An existing one is kept.
  const big = `${template}-big`
  process.env.TOUCHSTONE_E2E_BIG ??= big
  return async () => {
    for (const folder of [template, big]) await rm(folder, { recursive: true, force: true })
  }
}
