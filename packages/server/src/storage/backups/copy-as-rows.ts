import { mkdir } from 'node:fs/promises'
import { readVersion } from '../analytics/migrate.ts'
import type { Analytics } from '../analytics/port.ts'
import type { Relational } from '../relational/port.ts'
import type { TableRows } from '../relational/table-rows.ts'
import { BLOB_REMOVALS } from '../relational/write-locks.ts'
import type { OnBytes } from '../row-files.ts'
import { estimateAnalytics, writeAnalytics } from './analytics-rows.ts'
import { writeRelational } from './relational-rows.ts'
import type { AnalyticsStoreCopy, RelationalStoreCopy } from './store-copy.ts'

/** Copies the tables of a PostgreSQL server in one transaction, which sees them as they are when it begins. */
export function copyRelationalRows(
  relational: Pick<Relational, 'openRows'>,
  to: string,
  onBytes: OnBytes,
): RelationalStoreCopy {
  let opened: Promise<TableRows> | undefined
  const open = () => (opened ??= relational.openRows())
  return {
    async size() {
      const [found] = await (await open()).run<{ bytes: string }>(
        'select pg_database_size(current_database())::text as bytes',
      )
      return Number(found?.bytes)
    },
    begin: async () => void (await mkdir(to, { mode: 0o700 })),
    hold: (work) => work(),
    async fix() {
      const connection = await open()
      await connection.run('begin isolation level repeatable read, read only')
      // The first statement decides what the transaction sees. Until it ends, no process removes blobs.
      await connection.run(`select pg_advisory_xact_lock_shared(hashtextextended('${BLOB_REMOVALS}', 0))`)
    },
    finish: async () => writeRelational(await open(), to, { onBytes }),
    async close() {
      const connection = await opened?.catch(() => undefined)
      opened = undefined
      await connection?.close()
    },
  }
}

/** Copies the tables of a ClickHouse server by one statement for each, which all begin at about the same time. */
export function copyAnalyticsRows(analytics: Analytics, to: string, onBytes: OnBytes): AnalyticsStoreCopy {
  let written: Promise<Record<string, number>>
  let migration = 0
  const ended = new AbortController()
  return {
    size: () => estimateAnalytics(analytics),
    begin: async () => void (await mkdir(to, { mode: 0o700 })),
    hold: (work) => work(),
    async fix() {
      migration = await readVersion(analytics)
      written = (await writeAnalytics(analytics.tables, to, { onBytes, signal: ended.signal })).written
      written.catch(() => undefined) // thrown by `finish`
    },
    finish: async () => ({ migration, rows: await written, as_rows: true }),
    close: async () => ended.abort(),
  }
}
