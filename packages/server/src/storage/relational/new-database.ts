import { sql } from 'drizzle-orm'
import { columns, text } from '../rows.ts'
import { toRows } from './migrate.ts'
import type { Relational } from './port.ts'

/** Ids of the first workspace and project in a prepared database: each copy replaces them. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** PostgreSQL copies new databases from these. We create none, and they are two thirds of the files of a cluster. */
export const DROP_TEMPLATES = [
  `update pg_database set datistemplate = false where datname in ('template0', 'template1')`,
  'drop database template0',
  'drop database template1',
]

/** Tables that may have rows before the first use; in any other a row would be shared by all installations. */
const FILLED_AT_FIRST = ['migrations', 'projects', 'server_identity', 'workspaces']

/**
 * Prepares a new database for copying: takes the ids of its first workspace and project away, and its secrets.
 *
 * @throws Error when it contains rows that copies must not share
 */
export async function makeCopyable(relational: Relational): Promise<void> {
  await relational.runScript('truncate server_secrets') // each server makes its own when it first needs them
  const tables = await relational.db.execute(sql`select tablename as name from pg_tables where schemaname = 'public'`)
  for (const { name } of toRows(tables, columns({ name: text }))) {
    if (FILLED_AT_FIRST.includes(name)) continue
    const rows = await relational.runScript(`select 1 from "${name}" limit 1`)
    if (rows.length > 0) throw new Error(`The table ${name} of a new database has rows, which no copy may share.`)
  }
  await relational.runScript(`
    begin;
    set local session_replication_role = replica;
    update workspaces set id = '${NO_ID}', organization_id = '${NO_ID}';
    update projects set id = '${NO_ID}', tenant_id = '${NO_ID}';
    update server_identity set id = '${NO_ID}';
    commit;
    checkpoint;
  `)
}

/** Gives the first workspace and project of a copied database ids of their own; changes nothing in any other. */
export async function assignIds(relational: Relational): Promise<void> {
  const copied = await relational.runScript(`select 1 from workspaces where id = '${NO_ID}'`)
  if (copied.length === 0) return
  await relational.runScript(`
    begin;
    set local session_replication_role = replica;
    update workspaces set id = gen_random_uuid(), organization_id = gen_random_uuid(), created_at = now();
    update projects set id = gen_random_uuid(), tenant_id = (select id from workspaces), start_time = now();
    update server_identity set id = (select id from workspaces);
    update migrations set applied_at = now();
    commit;
  `)
}
