import { timeOfEpochMs } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type DatasetRow, datasets, datasetVersions } from '../../storage/relational/tables/datasets.ts'
import { updateDataset } from './store.ts'

/** The instant of the next version: now, or the first free millisecond after the newest. */
export function nextVersion({ clock }: Pick<Deps, 'clock'>, { latest_version }: DatasetRow): Date {
  const now = Math.floor(clock())
  return new Date(latest_version === null ? now : Math.max(now, latest_version.getTime() + 1))
}

/** What a change of examples did to its dataset. */
export interface Advance {
  readonly version: Date
  /** Examples more than before, or fewer. */
  readonly added: number
  readonly lastNumber: number
}

/** Records a new version of a dataset whose row is locked by this transaction. */
export async function advanceVersion(
  tx: Database,
  { tenant_id, id, modified_at }: DatasetRow,
  { version, added, lastNumber }: Advance,
): Promise<void> {
  const made = timeOfEpochMs(version.getTime())
  await tx.insert(datasetVersions).values({ dataset_id: id, as_of: version })
  await updateDataset(tx, tenant_id, id, {
    latest_version: version,
    modified_at: made > modified_at ? made : modified_at,
    example_count: sql`${datasets.example_count} + ${added}` as unknown as number,
    last_number: lastNumber,
  })
}
