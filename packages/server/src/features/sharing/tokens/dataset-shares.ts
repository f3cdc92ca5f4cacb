import { randomUUID } from 'node:crypto'
import { parseUuid, timeOfEpochMs } from '@touchstone/contract'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { type DatasetShareRow, datasetShares } from '../../../storage/relational/tables/sharing.ts'

type Rows = Pick<Deps, 'relational'>

/**
 * Opens a dataset. One that is open keeps its token, so that links handed out stay good.
 *
 * @param sharesProjects  whether its experiments are open too; undefined leaves it, which is closed at first
 */
export async function shareDataset(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  tenantId: string,
  datasetId: string,
  sharesProjects: boolean | undefined,
): Promise<DatasetShareRow> {
  const [row] = await relational.db
    .insert(datasetShares)
    .values({
      dataset_id: datasetId,
      tenant_id: tenantId,
      share_token: randomUUID(), // all that stands between the public and the dataset: it must not be guessable
      shares_projects: sharesProjects ?? false,
      created_at: timeOfEpochMs(clock()),
    })
    .onConflictDoUpdate({
      target: datasetShares.dataset_id,
      set: sharesProjects === undefined ? { dataset_id: datasetId } : { shares_projects: sharesProjects },
    })
    .returning()
  return row!
}

export async function datasetShareOf(
  { relational }: Rows,
  tenantId: string,
  datasetId: string,
): Promise<DatasetShareRow | undefined> {
  const [row] = await relational.db
    .select()
    .from(datasetShares)
    .where(and(eq(datasetShares.tenant_id, tenantId), eq(datasetShares.dataset_id, datasetId)))
  return row
}

/** Across workspaces: a public reader brings nothing but the token. */
export async function findDatasetShare({ relational }: Rows, token: string): Promise<DatasetShareRow | undefined> {
  const parsed = parseUuid(token)
  if (parsed === undefined) return undefined
  const [row] = await relational.db.select().from(datasetShares).where(eq(datasetShares.share_token, parsed))
  return row
}

/** Every shared dataset of a workspace, newest first. */
export function selectDatasetShares({ relational }: Rows, tenantId: string): Promise<DatasetShareRow[]> {
  return relational.db
    .select()
    .from(datasetShares)
    .where(eq(datasetShares.tenant_id, tenantId))
    .orderBy(desc(datasetShares.created_at), desc(datasetShares.dataset_id))
}

export async function unshareDataset({ relational }: Rows, tenantId: string, datasetId: string): Promise<void> {
  await relational.db
    .delete(datasetShares)
    .where(and(eq(datasetShares.tenant_id, tenantId), eq(datasetShares.dataset_id, datasetId)))
}

/** @param tokens  absent: all of the workspace */
export async function revokeDatasetTokens(
  { relational }: Rows,
  tenantId: string,
  tokens?: readonly string[],
): Promise<void> {
  const ofTokens = tokens && inArray(datasetShares.share_token, [...tokens])
  await relational.db.delete(datasetShares).where(and(eq(datasetShares.tenant_id, tenantId), ofTokens))
}
