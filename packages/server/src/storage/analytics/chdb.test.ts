import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openChdb } from './chdb.ts'
import { sql } from './sql.ts'

it('the embedded column store is closed when nothing is at work in it any more, whoever waits for that', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-chdb-'))
  const analytics = await openChdb(directory)
  // Longer than what is left to do here once the engine has answered.
  const answer = analytics.query(sql`select sleep(3)`).then(() => 'answered')
  await analytics.close()
  expect(await Promise.race([answer, after(1_000, 'still at work')])).toBe('answered')
  rmSync(directory, { recursive: true })
})
