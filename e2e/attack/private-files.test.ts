import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Ledger, sendUntil } from '../durability/acknowledged-runs.ts'
import { copyFolder } from '../support/copy-folder.ts'
import { startServer } from '../support/start-server.ts'
import { DatasetLedger } from './dataset-writer.ts'

/** Paths below a folder, and the folder, that other users may read or write. */
async function findOpenPaths(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const paths = [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))]
  const modes = await Promise.all(paths.map(async (path) => ({ path, found: await lstat(path) })))
  return modes.filter(({ found }) => !found.isSymbolicLink() && (found.mode & 0o077) !== 0).map(({ path }) => path)
}

it('B7: nothing below the data directory is readable for other users, even when it was open before', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-private-'))
  const template = process.env.TOUCHSTONE_E2E_TEMPLATE
  if (template !== undefined) await copyFolder(template, dataDir)
  await chmod(dataDir, 0o755)

  const server = await startServer({ dataDir })
  expect(server.output()).toContain(`Other users could read ${dataDir} (mode 0755). Its mode is now 0700.`)
  const over = new AbortController()
  const runs = new Ledger()
  const datasets = new DatasetLedger()
  const writers = [sendUntil(over.signal, server.url, runs), datasets.writeUntil(over.signal, () => server.url)]
  await expect.poll(async () => (await readdir(join(dataDir, 'blobs'))).length, { timeout: 60_000 }).toBeGreaterThan(0)
  await expect.poll(() => datasets.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(5)
  over.abort()
  await Promise.all(writers)

  await server.stop()
  expect(await findOpenPaths(dataDir)).toEqual([])
  await rm(dataDir, { recursive: true })
})
