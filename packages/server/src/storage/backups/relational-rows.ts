import { join } from 'node:path'
import PgBoss from 'pg-boss'
import { printSchema } from '../relational/migrate.ts'
import { RESTORE_MARK } from '../relational/restore-mark.ts'
import type { TableColumns, TableRows } from '../relational/table-rows.ts'
import { ROW_FILE, type WriteOptions } from '../row-files.ts'
import { BackupError } from './files.ts'
import type { Manifest } from './manifest.ts'

/** The part of a manifest about a relational store whose tables were copied as rows. */
export type RelationalPart = Manifest['relational']

/** The table of jobs, and the one of their queues. */
const JOBS = 'pgboss.job'
const QUEUES = 'pgboss.queue'

/**
 * Writes every table to a file in a folder.
 *
 * @param connection  in a transaction that sees one state of the database
 */
export async function writeRelational(
  connection: TableRows,
  folder: string,
  options?: WriteOptions,
): Promise<RelationalPart> {
  const tables = await listTables(connection)
  if (!tables.includes('migrations'))
    throw new BackupError('failed', 'The PostgreSQL database has no tables of Touchstone.')
  const job_queue = await readQueueVersion(connection)
  const rows: Record<string, number> = {}
  for (const table of job_queue === null ? tables : [...tables, QUEUES, JOBS]) {
    rows[table] = await connection.write(await findColumns(connection, table), fileOf(folder, table), options)
  }
  const applied = await connection.run<{ version: number }>('select version from migrations order by version')
  const migrations = applied.map(({ version }) => version)
  const as_rows = { migrations, sequences: await readSequences(connection), job_queue }
  return { migration: Math.max(...migrations), rows, as_rows }
}

/**
 * Fills an empty database (see `assertEmptyDatabase`) from the files of a folder, in one transaction.
 *
 * @param alsoIn  work in the same transaction
 * @throws BackupError when the files do not fit
 */
export async function readRelational(
  connection: TableRows,
  folder: string,
  part: RelationalPart,
  alsoIn: () => Promise<void> = async () => {},
): Promise<void> {
  const { migrations, sequences, job_queue } = part.as_rows!
  if (job_queue !== null) await makeQueueTables(connection, job_queue)
  await connection.run('begin')
  try {
    for (const statement of printSchema(migrations)) await connection.run(statement)
    const foreignKeys = await dropForeignKeys(connection)
    const tables = Object.keys(part.rows).filter((table) => table !== QUEUES && table !== JOBS)
    const known = new Set(await listTables(connection))
    const unknown = tables.find((table) => !known.has(table))
    if (unknown !== undefined) {
      throw new BackupError('failed', `The manifest names a table ${unknown}, which does not exist.`)
    }
    // A new database has a workspace of its own.
    await connection.run(`truncate ${tables.map(quote).join(', ')}`)
    for (const table of tables) await readTable(connection, table, folder, part)
    for (const { table, name, definition } of foreignKeys) {
      await connection.run(`alter table ${table} add constraint ${name} ${definition}`)
    }
    for (const [sequence, value] of Object.entries(sequences)) {
      const [table = '', column = ''] = sequence.split('.')
      await connection.run(`select setval(pg_get_serial_sequence('${quote(table)}', '${column}'), ${BigInt(value)})`)
    }
    if (job_queue !== null) await readQueue(connection, folder, part)
    await alsoIn()
    await connection.run('commit')
  } catch (error) {
    await connection.run('rollback').catch(() => undefined) // the first error is the reason
    throw error
  }
}

/** @throws BackupError when the file has another number of rows than the manifest states */
async function readTable(
  connection: TableRows,
  table: string,
  folder: string,
  { rows }: RelationalPart,
): Promise<void> {
  await connection.read(await findColumns(connection, table), fileOf(folder, table))
  const [found] = await connection.run<{ rows: string }>(`select count(*)::text as rows from ${quote(table)}`)
  if (Number(found?.rows) === rows[table]) return
  throw new BackupError('failed', `The table ${table} has ${found?.rows} rows, and the manifest states ${rows[table]}.`)
}

/**
 * @param isRepeated  an earlier restore may have made the tables of the job queue
 * @throws BackupError when a restore would change what is in the database
 */
export async function assertEmptyDatabase(connection: TableRows, isRepeated: boolean): Promise<void> {
  const [first] = await listTables(connection)
  const queue = await connection.run(`select 1 from pg_namespace where nspname = 'pgboss'`)
  const found = first ?? (queue.length > 0 && !isRepeated ? 'pgboss.job' : undefined)
  if (found === undefined) return
  throw new BackupError(
    'not_empty',
    `The PostgreSQL database is not empty: it has the table ${found}. Restore into a new database.`,
  )
}

async function listTables(connection: TableRows): Promise<string[]> {
  const tables = await connection.run<{ name: string }>(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> '${RESTORE_MARK}'
       and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e') -- of an extension
     order by relname`,
  )
  return tables.map(({ name }) => name)
}

/** Columns in the order of their names, because their order in a table depends on the order of its migrations. */
async function findColumns(connection: TableRows, table: string): Promise<TableColumns> {
  const columns = await connection.run<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = '${quote(table)}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attname`,
  )
  return { name: quote(table), columns: columns.map(({ name }) => name) }
}

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

/** Tables refer to each other in circles, so rows are checked when all are there. */
async function dropForeignKeys(connection: TableRows): Promise<ForeignKey[]> {
  const keys = await connection.run<ForeignKey>(
    `select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
  )
  for (const { table, name } of keys) await connection.run(`alter table ${table} drop constraint ${name}`)
  return keys
}

async function readSequences(connection: TableRows): Promise<Record<string, string>> {
  const sequences = await connection.run<{ column: string; value: string }>(
    `select t.relname || '.' || a.attname as "column", s.last_value::text as value
     from pg_sequences s
     join pg_class c on c.relname = s.sequencename and c.relnamespace = current_schema()::regnamespace
     join pg_depend d on d.objid = c.oid and d.classid = 'pg_class'::regclass and d.refobjsubid > 0
     join pg_class t on t.oid = d.refobjid
     join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
     where s.schemaname = current_schema() and s.last_value is not null
     order by 1`,
  )
  return Object.fromEntries(sequences.map(({ column, value }) => [column, value]))
}

async function readQueueVersion(connection: TableRows): Promise<number | null> {
  const [exists] = await connection.run(`select 1 from pg_tables where schemaname = 'pgboss' and tablename = 'version'`)
  if (exists === undefined) return null
  const [found] = await connection.run<{ version: number }>('select version from pgboss.version')
  return found?.version ?? null
}

/** @throws BackupError when this program has another version of the job queue than the backup */
async function makeQueueTables(connection: TableRows, version: number): Promise<void> {
  await connection.runScript(`drop schema if exists pgboss cascade; ${PgBoss.getConstructionPlans('pgboss')}`)
  const found = await readQueueVersion(connection)
  if (found === version) return
  throw new BackupError(
    'failed',
    `The backup has version ${version} of the job queue, and this program has ${found}. Restore with the Touchstone version that made the backup, then upgrade.`,
  )
}

/** Each queue is a partition of the table of jobs, made by a function. */
async function readQueue(connection: TableRows, folder: string, part: RelationalPart): Promise<void> {
  await connection.run(`create temporary table restored_queue as select * from ${QUEUES} with no data`)
  const { columns } = await findColumns(connection, QUEUES)
  await connection.read({ name: 'restored_queue', columns }, fileOf(folder, QUEUES))
  await connection.run(
    `select pgboss.create_queue(name, json_build_object('policy', policy)) from restored_queue order by name`,
  )
  await readTable(connection, JOBS, folder, part)
}

const quote = (table: string) =>
  table
    .split('.')
    .map((name) => `"${name}"`)
    .join('.')
const fileOf = (folder: string, table: string) => join(folder, `${table}${ROW_FILE}`)
