import { contract, uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { openPostgres } from '../storage/relational/postgres.ts'
import { startApp } from '../testing/start-app.ts'
import { createDatabase, endSessions } from '../testing/test-stores.ts'

const server = process.env.TOUCHSTONE_TEST_POSTGRES_URL

describe.skipIf(server === undefined)('answers while sessions of the database end', () => {
  it('succeed or ask to repeat the request, and succeed afterwards', { timeout: 60_000 }, async () => {
    const url = await createDatabase(server!)
    const relational = await openPostgres(url, () => {})
    const app = await startApp({ relational })
    const answers: { status: number; text: string; headers: Headers }[] = []
    const waiting = new Set<string>()
    let isOver = false
    const client = async (_: unknown, number: number) => {
      for (let at = 0; !isOver; at++) {
        const isWrite = at % 2 === 0
        const request = `client ${number}, request ${at}: ${isWrite ? 'creates a dataset' : 'lists projects'}`
        waiting.add(request)
        answers.push(
          isWrite
            ? await app.call(contract.datasets.create, { body: { name: `dataset ${uuid7()}` } })
            : await app.call(contract.projects.list, { query: {} }),
        )
        waiting.delete(request)
      }
    }
    const clients = Array.from({ length: 8 }, client)
    for (let round = 0; round < 10; round++) {
      // Pause: lets requests run between the ends of sessions; any number of them is right.
      await new Promise((resolve) => setTimeout(resolve, 50))
      await endSessions(url)
    }
    isOver = true
    await expect.poll(() => [...waiting], { message: 'requests without a response' }).toEqual([])
    await Promise.all(clients)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, text, headers } of refused) {
      expect(status, text).toBe(503)
      expect(text).toContain('connection to PostgreSQL was lost')
      expect(headers.get('retry-after')).toBe('1')
    }
    expect((await app.call(contract.projects.list, { query: {} })).status).toBe(200)
    await app.close()
    await relational.close()
  })
})
