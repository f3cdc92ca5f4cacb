import { statfs } from 'node:fs/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { columns, count, figure, text } from '../rows.ts'
import type { Analytics } from './port.ts'
import { literal, splitRows, sql } from './sql.ts'

/** Bytes of the newest parts that are read at start: enough to find a torn write, little enough for a fast start. */
const CHECKED_BYTES = 64 * 1024 * 1024

/** A part of a table (a folder of files) whose contents do not match their checksums. */
export interface DamagedPart {
  readonly table: string
  readonly part: string
  readonly detail: string
}

/** Reads the newest parts of the tables of the embedded store and returns the damaged ones. */
export async function findDamagedParts(analytics: Analytics): Promise<DamagedPart[]> {
  const newest = await analytics.query(
    sql`
      select table, name, bytes_on_disk as bytes from system.parts
      where database = currentDatabase() and active
      order by modification_time desc limit 200`,
    columns({ table: text, name: text, bytes: count }),
  )
  const damaged: DamagedPart[] = []
  let checkedBytes = 0
  for (const { table, name, bytes } of newest) {
    if (checkedBytes > CHECKED_BYTES) break
    checkedBytes += bytes
    const detail = await checkPart(analytics, table, name)
    if (detail !== undefined) damaged.push({ table, part: name, detail })
  }
  return damaged
}

/** Returns the parts that the engine could not load and set aside, now or at an earlier start. */
export async function listSetAsideParts(analytics: Analytics): Promise<DamagedPart[]> {
  const parts = await analytics.query(
    sql`
      select table, name, reason from system.detached_parts
      where database = currentDatabase() and startsWith(reason, 'broken')
      order by table, name limit 100`,
    columns({ table: text, name: text, reason: text }),
  )
  return parts.map(({ table, name, reason }) => ({ table, part: name, detail: reason }))
}

async function checkPart(analytics: Analytics, table: string, part: string): Promise<string | undefined> {
  const checked = await analytics.query(
    sql`check table ${literal(table)} part ${literal(`'${part}'`)} settings check_query_single_value_result = 0`,
    columns({ is_passed: figure, message: text }),
  )
  return checked.find(({ is_passed }) => is_passed === 0)?.message
}

const MiB = 1024 * 1024

/** The engine refuses an insert while less than this is free; it is a setting of the session. */
export const FREE_BYTES_TO_INSERT = 128 * MiB

/** With less free space than this after an insert, another program may have filled the disk during the insert. */
const FREE_BYTES_AFTER = 16 * MiB

/** Runs before and after every insert of the embedded engine. */
interface DiskGuard {
  /** After an insert that may have been cut short: sets unreadable blocks aside once there is space again. */
  before(): Promise<void>
  /** Throws when the disk may have run full while the block was written; the block must not be acknowledged then. */
  after(): Promise<void>
}

/**
 * The embedded engine (chDB 3.4.0) reports success for an insert whose files a full disk cut short, and then every
 * query on that table fails. The engine refuses inserts while little is free, so this happens only when another program
 * fills the disk at that very moment. Then the block is not acknowledged. Once there is space again, the unreadable
 * parts of those seconds are set aside (they stay on disk below `detached`), so that the other parts can be read.
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
      const message = `No space left on the disk of ${directory} while a block was written`
      throw Object.assign(new Error(message), { code: 'ENOSPC' })
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
