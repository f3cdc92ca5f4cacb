import { timeOfEpochMs } from '@touchstone/contract'
import { sql as pg } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { markPurged, selectDeleted, type WorkspaceRow } from '../../features/accounts/workspaces/index.ts'
import { removeComments, removeLikes } from '../../features/prompts/index.ts'
import { deleteRefused } from '../../ingest/index.ts'
import type { Job, Jobs } from '../../jobs/open-jobs.ts'
import { literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { type DeletionRecord, noteAttachments, noteExamples, recordDeletion } from '../../storage/record-deletion.ts'
import { toRow, toRows } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'
import { COUNT_ROW, columns, text } from '../../storage/rows.ts'

export type PurgeDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'config'>

/**
 * Tables that keep rows of a deleted workspace: its own row without its name, the record of the deletion, and the last
 * workspace of a person, who may belong to others.
 */
const STAYING: ReadonlySet<string> = new Set(['workspaces', 'deletions', 'sign_ins'])

/** Rows deleted by one statement, so that other requests run in between. */
const AT_ONCE = 2_000

/**
 * Removes all rows of a workspace from both stores. The sweep removes its attachments and exported files later.
 * Every table with a `tenant_id` is included, so that none can be forgotten.
 */
export async function purgeWorkspace(deps: PurgeDeps, tenantId: string, record: DeletionRecord): Promise<void> {
  const { analytics, relational } = deps
  await recordCounts(deps, tenantId, record)
  await deleteRefused(deps, tenantId)
  for (const table of await selectAnalyticsTables(deps)) {
    if ((await countAnalyticsRows(deps, table, tenantId)) === 0) continue
    await analytics.command(sql`delete from ${literal(table)} where tenant_id = ${uuid(tenantId)}`)
  }
  await removeLikes(relational.db, tenantId)
  await removeComments(relational.db, tenantId)
  for (const table of await selectRelationalTables(relational.db)) {
    while ((await deleteBatch(relational.db, table, tenantId)) === AT_ONCE);
  }
  record.addRemaining(await countWorkspaceRows(deps, tenantId))
}

/** Number of rows of a workspace in both stores. */
export async function countWorkspaceRows(deps: PurgeDeps, tenantId: string): Promise<number> {
  let rows = 0
  for (const table of await selectAnalyticsTables(deps)) rows += await countAnalyticsRows(deps, table, tenantId)
  for (const table of await selectRelationalTables(deps.relational.db)) {
    const counted = await deps.relational.db.execute(
      pg`select count(*)::int as n from ${pg.identifier(table)} where tenant_id = ${tenantId}`,
    )
    rows += toRow(counted, COUNT_ROW).n
  }
  return rows
}

async function recordCounts(deps: PurgeDeps, tenantId: string, record: DeletionRecord): Promise<void> {
  const { db } = deps.relational
  const items = await db.execute(
    pg`select count(*)::int as n from annotation_queue_items where tenant_id = ${tenantId}`,
  )
  await record.count({
    runs: await countAnalyticsRows(deps, 'runs', tenantId),
    feedback: await countAnalyticsRows(deps, 'run_feedback', tenantId),
    queue_items: toRow(items, COUNT_ROW).n,
  })
  await noteAttachments(deps, tenantId, literal('1'), record)
  await noteExamples(db, pg`tenant_id = ${tenantId}`, record)
}

async function countAnalyticsRows({ analytics }: PurgeDeps, table: string, tenantId: string): Promise<number> {
  const [row] = await analytics.query(
    sql`select count() as n from ${literal(table)} final where tenant_id = ${uuid(tenantId)}`,
    COUNT_ROW,
  )
  return row?.n ?? 0
}

/** Analytics tables with rows of workspaces; `runs` last, because attachments are found through it. */
async function selectAnalyticsTables({ analytics }: PurgeDeps): Promise<string[]> {
  const rows = await analytics.query(
    sql`select table as holder from system.columns
      where database = currentDatabase() and name = 'tenant_id' and table in (
        select name from system.tables where database = currentDatabase() and engine like '%MergeTree')
      order by table = 'runs', table`,
    columns({ holder: text }),
  )
  if (rows.length === 0) throw new Error('The column store names no table that holds rows of workspaces.')
  return rows.map(({ holder }) => holder)
}

/** Relational tables with rows of workspaces, each before the tables that it references. */
async function selectRelationalTables(db: Database): Promise<string[]> {
  const found = await db.execute(pg`
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'tenant_id' order by table_name`)
  const references = toRows(
    await db.execute(pg`
      select child.relname as child, parent.relname as parent
      from pg_constraint c join pg_class child on child.oid = c.conrelid join pg_class parent on parent.oid = c.confrelid
      where c.contype = 'f' and c.conrelid <> c.confrelid and c.connamespace = current_schema()::regnamespace`),
    columns({ child: text, parent: text }),
  )
  const waiting = new Set(toRows(found, columns({ name: text })).map(({ name }) => name))
  for (const name of STAYING) waiting.delete(name)
  const ordered: string[] = []
  while (waiting.size > 0) {
    const isReferred = (name: string) => references.some(({ child, parent }) => parent === name && waiting.has(child))
    const free = [...waiting].filter((name) => !isReferred(name))
    for (const name of free.length > 0 ? free : [...waiting]) {
      waiting.delete(name)
      ordered.push(name)
    }
  }
  return ordered
}

async function deleteBatch(db: Database, table: string, tenantId: string): Promise<number> {
  const name = pg.identifier(table)
  const result = await db.execute(pg`
    with gone as (
      delete from ${name}
      where ctid = any(array(select ctid from ${name} where tenant_id = ${tenantId} limit ${AT_ONCE})) returning 1)
    select count(*)::int as n from gone`)
  return toRow(result, COUNT_ROW).n
}

export interface Purge {
  readonly tenantId: string
}

const HALF_AN_HOUR_SECONDS = 1_800
const DAY_MS = 86_400_000

/**
 * Defines the job that removes the data of deleted workspaces. It resumes after a crash, and repeats for a day:
 * requests that ran during the deletion may still have stored something.
 */
export function definePurgeJob(deps: PurgeDeps & { readonly jobs: Jobs }): Job<Purge> {
  const { clock } = deps
  const { db } = deps.relational
  const selectOpen = () => selectDeleted(db, timeOfEpochMs(clock() - DAY_MS))

  const purge = deps.jobs.define<Purge>(
    'workspace-purge',
    async ({ tenantId }) => {
      const workspace = (await selectOpen()).find(({ id }) => id === tenantId)
      if (workspace !== undefined && (await isAnythingLeft(deps, workspace))) await purgeRecorded(deps, workspace)
    },
    { expireInSeconds: 3_600, subject: 'tenantId' },
  )
  deps.jobs.define(
    'workspace-purge-again',
    async () => {
      for (const { id } of await selectOpen()) await purge.send({ tenantId: id })
    },
    { everySeconds: HALF_AN_HOUR_SECONDS },
  )
  return purge
}

async function isAnythingLeft(deps: PurgeDeps, { id, purged_at }: WorkspaceRow): Promise<boolean> {
  return purged_at === null || (await countWorkspaceRows(deps, id)) > 0
}

/** Every purge adds to the record that was started when the workspace was deleted. */
async function purgeRecorded(deps: PurgeDeps, { id, deletion_id }: WorkspaceRow): Promise<void> {
  const about = {
    ...(deletion_id !== null && { id: deletion_id }),
    tenantId: id,
    kind: 'workspace',
    subject: 'Workspace',
    requestedBy: undefined,
  } as const
  await recordDeletion(deps, about, async (record) => {
    await record.begin()
    await purgeWorkspace(deps, id, record)
  })
  await markPurged(deps.relational.db, id, timeOfEpochMs(deps.clock()))
}
