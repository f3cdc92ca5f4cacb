import type { Analytics } from './port.ts'
import { literal, sql } from './sql.ts'

/** Bytes of the newest parts that are read at start; a torn write is found there, and a start stays quick. */
const CHECKED_BYTES = 64 * 1024 * 1024

/** A part of a table (a folder of files) whose contents do not match their checksums. */
export interface DamagedPart {
  readonly table: string
  readonly part: string
  readonly detail: string
}

/** Reads the newest parts of the tables of the embedded store and returns those that are damaged. */
export async function findDamagedParts(analytics: Analytics): Promise<DamagedPart[]> {
  const newest = await analytics.query<{ table: string; name: string; bytes: string }>(sql`
    select table, name, bytes_on_disk as bytes from system.parts
    where database = currentDatabase() and active
    order by modification_time desc limit 200`)
  const damaged: DamagedPart[] = []
  let checkedBytes = 0
  for (const { table, name, bytes } of newest) {
    if (checkedBytes > CHECKED_BYTES) break
    checkedBytes += Number(bytes)
    const detail = await checkPart(analytics, table, name)
    if (detail !== undefined) damaged.push({ table, part: name, detail })
  }
  return damaged
}

/** Returns the parts that the engine itself set aside, now or at an earlier start, since it could not load them. */
export async function listSetAsideParts(analytics: Analytics): Promise<DamagedPart[]> {
  const parts = await analytics.query<{ table: string; name: string; reason: string }>(sql`
    select table, name, reason from system.detached_parts
    where database = currentDatabase() and startsWith(reason, 'broken')
    order by table, name limit 100`)
  return parts.map(({ table, name, reason }) => ({ table, part: name, detail: reason }))
}

async function checkPart(analytics: Analytics, table: string, part: string): Promise<string | undefined> {
  const checked = await analytics.query<{ is_passed: number; message: string }>(
    sql`check table ${literal(table)} part ${literal(`'${part}'`)} settings check_query_single_value_result = 0`,
  )
  return checked.find(({ is_passed }) => Number(is_passed) === 0)?.message
}
