import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'
import { findBrokenPromises, Ledger, sendUntil } from './acknowledged-runs.ts'
import { exportUntil, findBrokenSpans, SpanLedger } from './acknowledged-spans.ts'

const rounds = Number(process.env.TOUCHSTONE_KILL_ROUNDS ?? 4)
const senders = { runs: 5, spans: 3 }

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
async function checkThenCrash(runs: Ledger, spans: SpanLedger, checkAll: boolean): Promise<string[]> {
  const server = await startServer({ dataDir })
  const broken = [
    ...(await findBrokenPromises(server.url, runs, runs.toCheck(checkAll))),
    ...(await findBrokenSpans(server.url, spans, spans.toCheck(checkAll))),
  ]
  const before = { runs: runs.size, spans: spans.size }
  const over = new AbortController()
  const clients = [
    ...Array.from({ length: senders.runs }, () => sendUntil(over.signal, server.url, runs)),
    ...Array.from({ length: senders.spans }, () => exportUntil(over.signal, server.url, spans)),
  ]
  while (runs.size === before.runs || spans.size === before.spans)
    // Pause: looks again until the writer has begun.
    await new Promise((resolve) => setTimeout(resolve, 5))
  // Pause: the kill comes at any moment.
  await new Promise((resolve) => setTimeout(resolve, randomInt(600)))
  await server.kill()
  over.abort()
  await Promise.all(clients)
  return broken
}

describe('a server that is killed at random moments', () => {
  const timeout = 60_000 + rounds * 15_000
  it(`still holds every acknowledged run and span, ${rounds} times over`, { timeout }, async () => {
    const runs = new Ledger()
    const spans = new SpanLedger()
    for (let round = 1; round <= rounds; round++) {
      expect(await checkThenCrash(runs, spans, false), `before round ${round}`).toEqual([])
      if (round % 50 === 0) console.log(`${round} kills; ${runs.size} runs and ${spans.size} spans acknowledged`)
    }

    expect(await checkThenCrash(runs, spans, true), 'after the last round').toEqual([])
    console.log(`${runs.size} acknowledged runs and ${spans.size} acknowledged spans survived ${rounds} kills`)
  })
})
