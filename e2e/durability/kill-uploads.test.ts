import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'
import { createDataset, findBrokenUploads, UploadLedger, uploadUntil } from './acknowledged-examples.ts'

const rounds = Number(process.env.TOUCHSTONE_KILL_ROUNDS ?? 2)
const senders = 4

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-kill-uploads-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

it(`a server killed during uploads holds every acknowledged one and no half, ${rounds} times over`, {
  timeout: 120_000 + rounds * 30_000,
}, async () => {
  const ledger = new UploadLedger()
  const first = await startServer({ dataDir })
  const datasetIds = [await createDataset(first.url, 'one'), await createDataset(first.url, 'two')]
  await first.kill()

  for (let round = 1; round <= rounds; round++) {
    const server = await startServer({ dataDir })
    expect(await findBrokenUploads(server.url, datasetIds, ledger), `before round ${round}`).toEqual([])
    const before = ledger.acknowledged
    const over = new AbortController()
    const clients = Array.from({ length: senders }, () => uploadUntil(over.signal, server.url, datasetIds, ledger))
    // Pause: looks again until an upload was acknowledged.
    while (ledger.acknowledged === before) await new Promise((resolve) => setTimeout(resolve, 5))
    // Pause: the kill comes at any moment.
    await new Promise((resolve) => setTimeout(resolve, randomInt(500)))
    await server.kill()
    over.abort()
    await Promise.all(clients)
  }

  const last = await startServer({ dataDir })
  expect(await findBrokenUploads(last.url, datasetIds, ledger), 'after the last round').toEqual([])
  await last.kill()
  console.log(`${ledger.acknowledged} of ${ledger.uploads.size} uploads were acknowledged and survived ${rounds} kills`)
})
