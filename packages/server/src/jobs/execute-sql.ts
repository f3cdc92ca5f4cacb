import { type SQL, sql } from 'drizzle-orm'
import { toRows } from '../storage/relational/migrate.ts'
import type { Database, Relational } from '../storage/relational/port.ts'

/** The one thing that the queue asks of its database. */
export interface ExecuteSql {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** The queue's way into the store: scripts of many statements as they stand, single ones with their values bound. */
export function executeSqlOn(relational: Relational): ExecuteSql {
  return {
    executeSql: (text, values) =>
      values === undefined || values.length === 0
        ? relational.runScript(text).then((rows) => ({ rows }))
        : executeSqlWithin(relational.db).executeSql(text, values),
  }
}

/** The same inside a transaction, for single statements. */
export function executeSqlWithin(tx: Database): ExecuteSql {
  return {
    executeSql: async (text, values = []) => ({ rows: toRows(await tx.execute(bind(text, values))) }),
  }
}

/**
 * `$1` and its likes become Drizzle's parameters, which it numbers as they appear. A number that is used again must stay
 * the same parameter: PostgreSQL infers its type from all its places.
 */
function bind(text: string, values: readonly unknown[]): SQL {
  const numbers = new Map<string, number>()
  const chunks = text.split(/\$(\d+)/).map((chunk, index) => {
    if (index % 2 === 0) return sql.raw(chunk)
    const known = numbers.get(chunk)
    if (known !== undefined) return sql.raw(`$${known}`)
    numbers.set(chunk, numbers.size + 1)
    // Drizzle would spread a bare array into a list.
    return sql`${sql.param(values[Number(chunk) - 1])}`
  })
  return sql.join(chunks)
}
