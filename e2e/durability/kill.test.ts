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

/**
 * A process on the folder of a killed one first answers for everything that was acknowledged before. Then clients send
 * at full speed, and at a random moment it is killed too.
 *
 * @returns the promises it found broken
 */
async function checkThenCrash(ledger: Ledger, checkAll: boolean): Promise<string[]> {
  const server = await startServer({ dataDir })
  const broken = await findBrokenPromises(server.url, ledger, ledger.toCheck(checkAll))
  const before = ledger.size
  const over = new AbortController()
  const clients = Array.from({ length: senders }, () => sendUntil(over.signal, server.url, ledger))
  while (ledger.size === before) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, randomInt(600)))
  await server.kill()
  over.abort()
  await Promise.all(clients)
  return broken
}

describe('a server that is killed at random moments', () => {
  it(`still holds every acknowledged run, ${rounds} times over`, { timeout: 60_000 + rounds * 15_000 }, async () => {
    const ledger = new Ledger()
    for (let round = 1; round <= rounds; round++) {
      expect(await checkThenCrash(ledger, false), `before round ${round}`).toEqual([])
    }

    expect(await checkThenCrash(ledger, true), 'after the last round').toEqual([])
    console.log(`${ledger.size} acknowledged runs survived ${rounds} kills`)
  })
})
