import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clickhouseUrl } from '../../testing/analytics-engine.ts'
import { openEmptyCluster } from '../../testing/pglite-template.ts'
import { everyRelationalEngine } from '../../testing/relational-engines.ts'
import { createClickHouseDatabase, createDatabase } from '../../testing/test-stores.ts'
import { openClickHouse, openClickHouseToRestore } from '../analytics/clickhouse.ts'
import { NEWEST_VERSION } from '../analytics/migrate.ts'
import { removeRestoreMark } from '../analytics/restore-mark.ts'
import { createPgliteRows } from '../relational/pglite-table-rows.ts'
import { openPostgres } from '../relational/postgres.ts'
import { markAsFilled } from '../relational/restore-mark.ts'
import { readAnalytics, writeAnalytics } from './analytics-rows.ts'
import { copyRelationalRows } from './copy-as-rows.ts'
import type { Manifest } from './manifest.ts'
import { assertEmptyDatabase, readRelational, writeRelational } from './relational-rows.ts'
import { fillServers, markServers } from './restore-servers.ts'

const postgresUrl = process.env.TOUCHSTONE_TEST_POSTGRES_URL

let root: string
let folders = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'touchstone-rows-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function newFolder(): Promise<string> {
  const folder = join(root, String(folders++))
  await mkdir(folder)
  return folder
}

const textOf = async (folder: string, table: string) =>
  gunzipSync(await readFile(join(folder, `${table}.tsv.gz`))).toString()

const HOSTILE = 'tab\t, line\n, return\r, back\\slash, \\N, \\., quote\' " 🦊 \u0001'

describe.each(everyRelationalEngine)('rows of %s', (_, open) => {
  it('are the same in a new database, with generated columns, sequences and the jobs that wait', async () => {
    const relational = await open()
    const connection = await relational.openRows()
    const [{ id: tenant } = { id: '' }] = await connection.run<{ id: string }>('select id from workspaces')
    await relational.db.execute(sql`
      insert into projects (id, tenant_id, name, start_time) values (gen_random_uuid(), ${tenant}, ${HOSTILE}, now())`)
    const folder = await newFolder()
    const part = await writeRelational(connection, folder)
    await connection.close()
    await relational.close()

    const target = createPgliteRows(await openEmptyCluster())
    await readRelational(target, folder, part)
    const again = await newFolder()
    expect(await writeRelational(target, again)).toEqual(part)
    // Queues are made again.
    const tables = Object.keys(part.rows).filter((table) => table !== 'pgboss.queue')
    for (const table of tables) expect(await textOf(again, table), table).toBe(await textOf(folder, table))
    const names = await target.run<{ name: string; name_key: string }>(
      'select name, name_key from projects where name_key = md5(name)',
    )
    expect(names.map(({ name }) => name)).toContain(HOSTILE)

    await expect(assertEmptyDatabase(target, false)).rejects.toThrow('The PostgreSQL database is not empty')
    await target.close()
  })

  it('end in the middle of a table when the backup is stopped', async () => {
    const relational = await open()
    await relational.db.execute(sql`
      create table large as select n, repeat(md5(n::text), 300) as filler from generate_series(1, 2000) as n`)
    const copy = copyRelationalRows(relational, await newFolder(), (bytes) => {
      if (bytes > 0) throw new Error('stopped')
    })
    await copy.fix()
    await expect(copy.finish()).rejects.toThrow('stopped')
    await copy.close()
    await relational.close()
  })

  it('leave a database empty when one of them does not fit', async () => {
    const relational = await open()
    const connection = await relational.openRows()
    const folder = await newFolder()
    const part = await writeRelational(connection, folder)
    await connection.close()
    await relational.close()

    const target = createPgliteRows(await openEmptyCluster())
    const wrong = { ...part, rows: { ...part.rows, projects: 7 } }
    await expect(readRelational(target, folder, wrong)).rejects.toThrow(
      'projects has 1 rows, and the manifest states 7',
    )
    await readRelational(target, folder, part)
    await target.close()
  })
})

describe.skipIf(clickhouseUrl === undefined)('rows of ClickHouse', { timeout: 60_000 }, () => {
  it('fill a new database, which no server opens before the restore has ended', async () => {
    const source = await openClickHouse(await createClickHouseDatabase(clickhouseUrl!))
    const ids = { tenant_id: uuid(1), session_id: uuid(2), id: uuid(3), trace_id: uuid(3) }
    const row = { ...ids, start_time: '2026-11-26 10:00:00.123456', name: HOSTILE, inputs: HOSTILE, version: '7' }
    await source.insert('runs', [{ json: JSON.stringify(row) }])
    const folder = await newFolder()
    const rows = await (await writeAnalytics(source.tables, folder)).written
    expect(rows).toMatchObject({ runs: 1, run_feedback: 0 })
    await source.close()

    const url = await createClickHouseDatabase(clickhouseUrl!)
    const target = await openClickHouseToRestore(url)
    const wrong = { migration: NEWEST_VERSION, rows: { ...rows, run_feedback: 1 } }
    await expect(readAnalytics(target, folder, wrong)).rejects.toThrow('run_feedback has 0 rows')
    await expect(openClickHouse(url)).rejects.toThrow('A restore into the ClickHouse database is running')

    await readAnalytics(target, folder, { migration: NEWEST_VERSION, rows })
    await removeRestoreMark(target)
    await expect(readAnalytics(target, folder, { migration: NEWEST_VERSION, rows })).rejects.toThrow('is not empty')
    const again = await newFolder()
    expect(await (await writeAnalytics(target.tables, again)).written).toEqual(rows)
    expect(await textOf(again, 'runs')).toBe(await textOf(folder, 'runs'))
    await target.close()
    await (await openClickHouse(url)).close()
  })
})

describe.skipIf(clickhouseUrl === undefined || postgresUrl === undefined)('a restore into servers', () => {
  it('is repeated after an interruption, also just after PostgreSQL was filled', { timeout: 60_000 }, async () => {
    const [backup, ...urls] = [
      await newFolder(),
      ...(await Promise.all([1, 2].map(() => createDatabase(postgresUrl!)))),
    ]
    const source = await openPostgres(urls[0]!, () => {})
    const analyticsSource = await openClickHouse(await createClickHouseDatabase(clickhouseUrl!))
    for (const store of ['relational', 'analytics']) await mkdir(join(backup, store))
    const connection = await source.openRows()
    const relational = await writeRelational(connection, join(backup, 'relational'))
    const rows = await (await writeAnalytics(analyticsSource.tables, join(backup, 'analytics'))).written
    for (const one of [connection, source, analyticsSource]) await one.close()
    const analytics = { migration: NEWEST_VERSION, rows, as_rows: true } as const
    const manifest = { relational, analytics } as Manifest

    const target = { postgresUrl: urls[1]!, clickhouseUrl: await createClickHouseDatabase(clickhouseUrl!) }
    const first = await markServers(manifest, target)
    const fillDatabase = () => markAsFilled(first.relational!)
    await readRelational(first.relational!, join(backup, 'relational'), relational, fillDatabase)
    await first.close()
    const start = () => openPostgres(target.postgresUrl, () => {})
    await expect(start()).rejects.toThrow('A restore into the PostgreSQL database is running or was interrupted')

    const other = { ...manifest, point_in_time: '2026-01-01T00:00:00.000Z' }
    await expect(markServers(other, target)).rejects.toThrow('is not empty')
    const second = await markServers(manifest, target)
    expect(second.isRelationalFilled).toBe(true)
    await fillServers(backup, manifest, second, () => {})
    await second.close()
    await (await start()).close()
    await (await openClickHouse(target.clickhouseUrl)).close()
    await expect(markServers(manifest, target)).rejects.toThrow('The ClickHouse database is not empty')
  })

  it('states the setting of a server that does not answer', async () => {
    const restoring = markServers({} as Manifest, { postgresUrl: 'postgres://touchstone@127.0.0.1:1/touchstone' })
    await expect(restoring).rejects.toThrow('TOUCHSTONE_POSTGRES_URL')
  })
})

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
