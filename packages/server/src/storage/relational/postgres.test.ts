import { execFileSync } from 'node:child_process'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createDatabase } from '../../testing/test-stores.ts'
import { openPostgres } from './postgres.ts'

const server = process.env.TOUCHSTONE_TEST_POSTGRES_URL
/** More than the pool has. */
const TRANSACTIONS = 12

describe.skipIf(server === undefined)('PostgreSQL ends every session of the pool before a transaction begins', () => {
  it('fails the transactions that had a session, and runs the next ones', async () => {
    const url = await createDatabase(server!)
    const relational = await openPostgres(url, () => {})
    const select = () => relational.transaction((tx) => tx.execute(sql`select 1`))
    const selectAtOnce = () => Promise.allSettled(Array.from({ length: TRANSACTIONS }, select))
    try {
      expect(await selectAtOnce()).toMatchObject(Array(TRANSACTIONS).fill({ status: 'fulfilled' }))
      endSessionsUnnoticed(url)
      expect((await selectAtOnce()).map(({ status }) => status)).toContain('rejected')
      expect(await selectAtOnce()).toMatchObject(Array(TRANSACTIONS).fill({ status: 'fulfilled' }))
    } finally {
      await relational.close()
    }
  })
})

/** Ends the sessions while this process stands still, so that its pool still takes them for open. */
function endSessionsUnnoticed(url: string) {
  const program = `
    import { endSessions } from ${JSON.stringify(new URL('../../testing/test-stores.ts', import.meta.url).href)}
    await endSessions(${JSON.stringify(url)})`
  execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program])
}
