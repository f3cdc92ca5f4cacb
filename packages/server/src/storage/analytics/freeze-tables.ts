import type { Analytics } from './port.ts'
import { literal, sql } from './sql.ts'

/**
 * Makes hard links to the active parts of every table below `shadow/<name>`. Parts never change, so this takes a few
 * milliseconds per table, whatever its size.
 *
 * @param name  letters, digits and `_`: the engine would print other characters differently in the name of the folder
 */
export async function freezeTables(analytics: Analytics, name: string): Promise<void> {
  if (!/^\w+$/.test(name)) throw new Error(`"${name}" cannot name a folder of frozen tables.`)
  const tables = await analytics.query<{ name: string }>(sql`
    select name from system.tables
    where database = currentDatabase() and engine like '%MergeTree'
    order by name`)
  await Promise.all(
    tables.map((table) => analytics.command(literal(`alter table ${table.name} freeze with name '${name}'`))),
  )
}
