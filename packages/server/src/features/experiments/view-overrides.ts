import {
  ApiError,
  type ColumnOverride,
  type ExperimentViewOverride,
  OVERRIDABLE_COLUMNS,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { viewOverrides as table, type ViewOverrideRow } from '../../storage/relational/tables/datasets.ts'
import { getDataset } from '../datasets/index.ts'

type OverrideDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** Lists the override of a dataset; there is at most one. @throws ApiError NOT_FOUND for an unknown dataset */
export async function listOverrides(
  deps: OverrideDeps,
  tenantId: string,
  datasetId: string,
): Promise<ExperimentViewOverride[]> {
  await getDataset(deps, tenantId, datasetId)
  const rows = await deps.relational.db.select().from(table).where(matchesDataset(tenantId, datasetId))
  return rows.map(present)
}

/** @throws ApiError CONFLICT when the dataset has one, UNPROCESSABLE for a column that cannot be shown */
export async function createOverride(
  deps: OverrideDeps,
  tenantId: string,
  datasetId: string,
  columns: readonly ColumnOverride[],
): Promise<ExperimentViewOverride> {
  assertColumns(columns)
  await getDataset(deps, tenantId, datasetId)
  const now = timeOfEpochMs(deps.clock())
  const [row] = await deps.relational.db
    .insert(table)
    .values({
      id: deps.ids(),
      tenant_id: tenantId,
      dataset_id: datasetId,
      column_overrides: JSON.stringify(columns),
      created_at: now,
      modified_at: now,
    })
    .onConflictDoNothing()
    .returning()
  if (row === undefined) throw new ApiError('CONFLICT', 'This dataset already has view overrides. Update them instead.')
  return present(row)
}

/** @throws ApiError NOT_FOUND */
export async function getOverride(
  { relational }: OverrideDeps,
  tenantId: string,
  datasetId: string,
  id: string,
): Promise<ExperimentViewOverride> {
  const [row] = await relational.db
    .select()
    .from(table)
    .where(and(matchesDataset(tenantId, datasetId), eq(table.id, id)))
  return present(getFound(row))
}

/** @throws ApiError NOT_FOUND, UNPROCESSABLE for a column that cannot be shown */
export async function replaceOverride(
  { relational, clock }: OverrideDeps,
  tenantId: string,
  datasetId: string,
  id: string,
  columns: readonly ColumnOverride[],
): Promise<ExperimentViewOverride> {
  assertColumns(columns)
  const [row] = await relational.db
    .update(table)
    .set({ column_overrides: JSON.stringify(columns), modified_at: timeOfEpochMs(clock()) })
    .where(and(matchesDataset(tenantId, datasetId), eq(table.id, id)))
    .returning()
  return present(getFound(row))
}

/** @throws ApiError NOT_FOUND */
export async function deleteOverride(
  { relational }: OverrideDeps,
  tenantId: string,
  datasetId: string,
  id: string,
): Promise<void> {
  const [row] = await relational.db
    .delete(table)
    .where(and(matchesDataset(tenantId, datasetId), eq(table.id, id)))
    .returning()
  getFound(row)
}

function matchesDataset(tenantId: string, datasetId: string) {
  return and(eq(table.tenant_id, tenantId), eq(table.dataset_id, datasetId))
}

function getFound(row: ViewOverrideRow | undefined): ViewOverrideRow {
  if (row === undefined) throw new ApiError('NOT_FOUND', 'View override not found')
  return row
}

function assertColumns(columns: readonly ColumnOverride[]): void {
  for (const { column } of columns) {
    if (OVERRIDABLE_COLUMNS.some((start) => column.startsWith(start))) continue
    throw new ApiError('UNPROCESSABLE', `The column ${column} is not one of ${OVERRIDABLE_COLUMNS.join(', ')}.`)
  }
}

function present(row: ViewOverrideRow): ExperimentViewOverride {
  return {
    id: row.id,
    dataset_id: row.dataset_id,
    column_overrides: JSON.parse(row.column_overrides),
    created_at: row.created_at,
    modified_at: row.modified_at,
  }
}
