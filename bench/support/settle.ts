import { setTimeout as sleep } from 'node:timers/promises'
import { openChdb } from '../../packages/server/src/storage/analytics/chdb.ts'
import { literal } from '../../packages/server/src/storage/analytics/sql.ts'

/** Waits until the store has finished the background work of migrations. */
export async function settle(directory: string): Promise<void> {
  const analytics = await openChdb(directory)
  try {
    for (;;) {
      const [row] = await analytics.query<{ left: string }>(
        literal(`select count() + (select count() from system.merges) as left from system.mutations where not is_done`),
      )
      if (row?.left === '0') return
      await sleep(500)
    }
  } finally {
    await analytics.close()
  }
}
