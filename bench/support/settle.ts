import { setTimeout as sleep } from 'node:timers/promises'
import { openChdb } from '../../packages/server/src/storage/analytics/chdb.ts'
import { literal } from '../../packages/server/src/storage/analytics/sql.ts'
import { COUNT_ROW } from '../../packages/server/src/storage/rows.ts'

/** Waits until the store has finished the background work of migrations. */
export async function settle(directory: string): Promise<void> {
  const analytics = await openChdb(directory)
  try {
    for (;;) {
      const [row] = await analytics.query(
        literal(`select count() + (select count() from system.merges) as n from system.mutations where not is_done`),
        COUNT_ROW,
      )
      if (row?.n === 0) return
      await sleep(500)
    }
  } finally {
    await analytics.close()
  }
}
