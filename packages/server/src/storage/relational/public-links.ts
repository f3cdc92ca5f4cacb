import { parseUuid } from '@touchstone/contract'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from './port.ts'
import {
  type DatasetShareRow,
  datasetShares,
  type RunShareRow,
  runShares,
  type ThreadShareRow,
  threadShares,
} from './tables/sharing.ts'

/** Selects a group of links. */
type LinkKey = 'token' | 'run' | 'project' | 'dataset'

interface LinkTable extends Partial<Record<LinkKey, PgColumn>> {
  readonly table: PgTable
  readonly tenant: PgColumn
}

/** Every table of public links, with the columns by which links are revoked. Add a new kind of link here. */
const LINK_TABLES: readonly LinkTable[] = [
  {
    table: runShares,
    tenant: runShares.tenant_id,
    token: runShares.share_token,
    run: runShares.run_id,
    project: runShares.session_id,
  },
  {
    table: threadShares,
    tenant: threadShares.tenant_id,
    token: threadShares.share_token,
    project: threadShares.session_id,
  },
  {
    table: datasetShares,
    tenant: datasetShares.tenant_id,
    token: datasetShares.share_token,
    dataset: datasetShares.dataset_id,
  },
]

/**
 * Revokes the public links of runs, projects or datasets, the links with given tokens, or all links of a workspace.
 *
 * @returns the number of revoked links
 */
export async function revokePublicLinks(
  db: Database,
  tenantId: string,
  links: { readonly by: LinkKey; readonly ids: readonly string[] } | 'all',
): Promise<number> {
  let revoked = 0
  for (const linkTable of LINK_TABLES) {
    const column = links === 'all' ? undefined : linkTable[links.by]
    if (links !== 'all' && column === undefined) continue
    const selected = links !== 'all' && column !== undefined ? inArray(column, [...links.ids]) : undefined
    const rows = await db
      .delete(linkTable.table)
      .where(and(eq(linkTable.tenant, tenantId), selected))
      .returning({ tenant: linkTable.tenant })
    revoked += rows.length
  }
  return revoked
}

/**
 * Ends all public access to a workspace: its links, its feedback tokens and its public prompts.
 *
 * @returns the number of revoked links
 */
export async function endPublicAccess(db: Database, tenantId: string): Promise<number> {
  await db.execute(sql`delete from feedback_tokens where tenant_id = ${tenantId}`)
  await db.execute(sql`update prompt_repos set is_public = false where tenant_id = ${tenantId} and is_public`)
  return revokePublicLinks(db, tenantId, 'all')
}

/** The shared run of a token in any workspace; undefined for an unknown, revoked or malformed token. */
export async function findRunShare(db: Database, token: string): Promise<RunShareRow | undefined> {
  const parsed = parseUuid(token)
  if (parsed === undefined) return undefined
  const [row] = await db.select().from(runShares).where(eq(runShares.share_token, parsed))
  return row
}

/** The shared dataset of a token in any workspace; undefined for an unknown, revoked or malformed token. */
export async function findDatasetShare(db: Database, token: string): Promise<DatasetShareRow | undefined> {
  const parsed = parseUuid(token)
  if (parsed === undefined) return undefined
  const [row] = await db.select().from(datasetShares).where(eq(datasetShares.share_token, parsed))
  return row
}

/** The shared thread of a token in any workspace; undefined for an unknown, revoked or malformed token. */
export async function findThreadShare(db: Database, token: string): Promise<ThreadShareRow | undefined> {
  const parsed = parseUuid(token)
  if (parsed === undefined) return undefined
  const [row] = await db.select().from(threadShares).where(eq(threadShares.share_token, parsed))
  return row
}
