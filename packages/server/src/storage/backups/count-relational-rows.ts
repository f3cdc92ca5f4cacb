import { sql } from 'drizzle-orm'
import { toRows } from '../relational/migrate.ts'
import type { Database } from '../relational/port.ts'

/** Tables larger than this take too long to count while writes wait. */
const MAX_BYTES = 32 * 1024 * 1024

/** Rows by table; large tables are left out. */
export async function countRelationalRows(tx: Database): Promise<Record<string, number>> {
  const tables = toRows<{ name: string }>(
    await tx.execute(sql`
      select relname as name
      from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) <= ${MAX_BYTES}
      order by relname`),
  )
  if (tables.length === 0) return {}
  const counts = tables.map(
    ({ name }) => sql`select ${name}::text as name, count(*)::int as rows from ${sql.identifier(name)}`,
  )
  const rows = toRows<{ name: string; rows: number }>(await tx.execute(sql.join(counts, sql` union all `)))
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}
