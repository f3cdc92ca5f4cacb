import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'
import { findBrokenPromises, Ledger, sendUntil } from './acknowledged-runs.ts'

const rounds = Number(process.env.TOUCHSTONE_KILL_ROUNDS ?? 20)
const senders = 6

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-kill-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

/** Clients send at full speed; at a moment nobody chose, the process is gone. */
async function crash(ledger: Ledger) {
  const server = await startServer({ dataDir })
  const over = new AbortController()
  const clients = Array.from({ length: senders }, () => sendUntil(over.signal, server.url, ledger))
  await new Promise((resolve) => setTimeout(resolve, randomInt(50, 700)))
  await server.kill()
  over.abort()
  await Promise.all(clients)
}

/** A new process on the same folder answers for everything that was acknowledged. */
async function checkPromises(ledger: Ledger, all: boolean): Promise<string[]> {
  const server = await startServer({ dataDir })
  const broken = await findBrokenPromises(server.url, ledger, ledger.toCheck(all))
  await server.kill() // also a server that only read dies without farewell
  return broken
}

describe('a server that is killed at random moments', () => {
  it(`still holds every acknowledged run, ${rounds} times over`, { timeout: 60_000 + rounds * 15_000 }, async () => {
    const ledger = new Ledger()
    for (let round = 1; round <= rounds; round++) {
      await crash(ledger)
      expect(await checkPromises(ledger, false), `round ${round}`).toEqual([])
    }

    expect(await checkPromises(ledger, true)).toEqual([])
    expect(ledger.size).toBeGreaterThan(rounds * 10)
    console.log(`${ledger.size} acknowledged runs survived ${rounds} kills`)
  })
})
