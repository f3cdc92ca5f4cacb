import { statfs } from 'node:fs/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { splitRows } from './rows-of.ts'

const MiB = 1024 * 1024

/** The engine refuses an insert while less than this is free; told to it as a setting of the session. */
export const FREE_BYTES_TO_INSERT = 128 * MiB

/** Less than this left after an insert: somebody else may have filled the disk while it was written. */
const FREE_BYTES_AFTER = 16 * MiB

/** Stands around every insert of the embedded engine. */
export interface DiskGuard {
  /** Sets unreadable blocks aside once there is space again after an insert that could not be trusted. */
  before(): Promise<void>
  /** Throws when the disk may have run full while the block was written; then it must not be acknowledged. */
  after(): Promise<void>
}

/**
 * The embedded engine (chDB 3.4.0) answers "ok" to an insert whose files were cut short by a full disk, and then no query
 * on that table succeeds. It refuses beforehand while little is free, so this takes another program that fills the disk
 * in that very moment. Then the block is not acknowledged, and once there is space again whatever of those seconds cannot
 * be read is set aside (it stays on disk below `detached`), so that everything else can.
 */
export function guardDisk(client: ClickHouseClient, directory: string): DiskGuard {
  let suspectSinceMs: number | undefined
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize
  }
  return {
    async before() {
      if (suspectSinceMs === undefined || (await freeBytes()) < FREE_BYTES_TO_INSERT) return
      await setBrokenPartsAside(client, suspectSinceMs)
      suspectSinceMs = undefined
    },
    async after() {
      if ((await freeBytes()) >= FREE_BYTES_AFTER) return
      suspectSinceMs ??= Date.now() - 60_000
      throw new Error(`No space left on the disk of ${directory} while a block was written (NOT_ENOUGH_SPACE)`)
    },
  }
}

async function setBrokenPartsAside(client: ClickHouseClient, sinceMs: number): Promise<void> {
  const written = await client.query({
    query: `select table, name from system.parts
      where database = currentDatabase() and active and modification_time >= toDateTime(${Math.floor(sinceMs / 1000)})`,
    format: 'JSONEachRow',
  })
  for (const row of splitRows(await written.text())) {
    const { table, name } = JSON.parse(row) as { table: string; name: string }
    if (await isReadable(client, table, name)) continue
    await client.command({ query: `alter table ${table} detach part '${name}'` })
  }
}

async function isReadable(client: ClickHouseClient, table: string, part: string): Promise<boolean> {
  const checked = await client.query({
    query: `check table ${table} part '${part}' settings check_query_single_value_result = 0`,
    format: 'JSONEachRow',
  })
  return splitRows(await checked.text()).every(
    (row) => Number((JSON.parse(row) as { is_passed: number }).is_passed) === 1,
  )
}
