import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'
import { makeWriteWorld, type WriteWorld, writeUntil } from '../support/write-kinds.ts'
import { callServer, WriteLedger } from '../support/write-ledger.ts'

const rounds = Number(process.env.TOUCHSTONE_KILL_ROUNDS ?? 2)
const writers = 8
/** Before each kill at least; on a busy machine a moment chosen by time alone may come before the first write. */
const writesPerRound = 60

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-kill-all-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('a server that is killed while people write all kinds of things', () => {
  it(`holds every acknowledged write and brings nothing back, ${rounds} times over`, {
    timeout: 120_000 + rounds * 30_000,
  }, async () => {
    const ledger = new WriteLedger()
    let world: WriteWorld | undefined
    for (let round = 1; round <= rounds; round++) {
      const server = await startServer({ dataDir, timeoutMs: 110_000 })
      world ??= await makeWriteWorld(callServer(server.url, ''), (key) => callServer(server.url, key))
      const call = callServer(server.url, world.key)
      expect((await ledger.findBroken(call, { only: 'new' })).broken, `before round ${round}`).toEqual([])
      const before = ledger.size
      const over = new AbortController()
      const work = Array.from({ length: writers }, (_, at) =>
        writeUntil(over.signal, { call, world: world!, ledger }, round * 5 + at * 3),
      )
      const allWork = Promise.all(work)
      while (ledger.size < before + writesPerRound)
        // Pause: looks again until the writer has begun.
        await Promise.race([allWork, new Promise((done) => setTimeout(done, 5))])
      // Pause: the kill comes at any moment.
      await new Promise((resolve) => setTimeout(resolve, randomInt(2000)))
      await server.kill()
      over.abort()
      await allWork
    }

    const last = await startServer({ dataDir, timeoutMs: 110_000 })
    const { broken, asked } = await ledger.findBroken(callServer(last.url, world!.key))
    expect(broken, 'after the last round').toEqual([])
    await last.kill()
    const counts = Object.entries(ledger.counts()).toSorted(([a], [b]) => a.localeCompare(b))
    expect(counts.length, 'kinds of writes').toBeGreaterThanOrEqual(22)
    console.log(
      `${ledger.size} acknowledged writes of ${counts.length} kinds, ${asked} of them current, survived ${rounds} kills: ` +
        counts.map(([kind, count]) => `${count} ${kind}`).join(', '),
    )
  })
})
