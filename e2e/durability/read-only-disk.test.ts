import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, aRunHead, postJson } from '../support/raw-ingest.ts'
import { isFull } from '../support/scale.ts'
import { startServer } from '../support/start-server.ts'
import { EditLedger } from './acknowledged-edits.ts'
import { aFailingDisk, type FailingDisk } from './failing-disk.ts'

describe.runIf(isFull)('a disk that becomes read-only under a running server', { timeout: 300_000 }, () => {
  let disk: FailingDisk | undefined
  beforeAll(async () => {
    disk = await aFailingDisk(1_000)
    if (disk === undefined) console.log('No file system could be mounted here: the read-only disk is not tested.')
  })
  afterAll(() => disk?.remove())

  it('refuses writes by its name, answers reads, and loses nothing that was acknowledged', async (test) => {
    if (disk === undefined) return test.skip()
    const server = await startServer({ dataDir: disk.folder, timeoutMs: 110_000 })
    const run = aRunHead({ session_name: 'full disk' })
    expect((await postJson(`${server.url}/runs`, JSON.stringify(run))).status).toBe(202)
    const dataset = await postJson(`${server.url}/datasets`, JSON.stringify({ name: 'read-only disk' }))
    const targets = { datasetId: (JSON.parse(dataset.text) as { id: string }).id, runId: run.id }
    const ledger = new EditLedger()
    for (let at = 0; at < 5; at++) await ledger.tryAll(server.url, targets)
    expect(ledger.acknowledged).toHaveLength(20)
    expect(await ledger.findLost(server.url)).toEqual([])

    disk.fail()
    const answers: Answer[] = []
    for (let at = 0; at < 20; at++) answers.push(...(await ledger.tryAll(server.url, targets)))
    const refused = answers.filter(({ status }) => status >= 300)
    expect(refused.length).toBeGreaterThan(60)
    for (const { status, text } of refused) {
      expect({ status, text }).toEqual({ status: 503, text: expect.stringMatching(/read-only/i) })
    }
    expect(await ledger.findLost(server.url)).toEqual([])
    expect(server.output()).toContain('is read-only: changes are refused until it can be written again')

    await server.kill()
    disk.repair()
    const again = await startServer({ dataDir: disk.folder, timeoutMs: 110_000 })
    expect(await ledger.findLost(again.url)).toEqual([])
    const later = await ledger.tryAll(again.url, targets)
    expect(later.map(({ status }) => status < 300)).toEqual([true, true, true, true])
    await again.kill()
  })
})
