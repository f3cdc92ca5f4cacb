import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { NEWEST_VERSION as analyticsVersion } from '../analytics/migrate.ts'
import type { AnalyticsSnapshots } from '../analytics/port.ts'
import { NEWEST_VERSION as relationalVersion } from '../relational/migrate.ts'
import type { Database, Relational } from '../relational/port.ts'
import type { OnBytes } from '../row-files.ts'
import { copyAnalytics, countRelationalRows, RelationalCopy } from './copy-stores.ts'
import { listTree, sizeOfFiles } from './files.ts'
import type { AnalyticsStoreCopy, RelationalStoreCopy } from './store-copy.ts'

/** Frozen tables below `shadow/` whose names begin with this belong to a backup. */
const FROZEN = 'touchstone_backup_'

/** Copies the files of the embedded PostgreSQL while it works, then those that changed while its writes wait. */
export function copyPgliteFiles(
  relational: Pick<Relational, 'runScript' | 'transaction'> & { readonly directory: string },
  to: string,
  onBytes: OnBytes,
): RelationalStoreCopy {
  const copy = new RelationalCopy(relational.directory, to)
  let transaction: Database | undefined
  let rows: Record<string, number> = {}
  return {
    size: () => sizeOfFolder(relational.directory),
    async begin() {
      // Changes that are already in the files need not be copied while writes wait.
      await relational.runScript('checkpoint')
      await copy.copyAll(onBytes)
    },
    hold: (work) =>
      relational.transaction(async (tx) => {
        // A transaction begins with its first statement.
        await tx.execute(sql`select 1`)
        transaction = tx
        return work()
      }),
    async fix() {
      rows = await countRelationalRows(transaction!)
      await copy.copyChanges()
    },
    finish: async () => ({ migration: relationalVersion, rows }),
    close: async () => {},
  }
}

/**
 * Copies the files of the embedded column store as they are when its tables are frozen.
 *
 * @param name  of the backup
 */
export function copyChdbFiles(
  { directory, freeze }: AnalyticsSnapshots,
  name: string,
  to: string,
  onBytes: OnBytes,
): AnalyticsStoreCopy {
  const frozen = `${FROZEN}${name.replaceAll('-', '_')}`
  return {
    size: () => sizeOfFolder(directory),
    begin: async () => {},
    hold: (work) => freeze(frozen, work),
    fix: async () => {},
    finish: async () => ({ migration: analyticsVersion, rows: await copyAnalytics(directory, frozen, to, onBytes) }),
    close: () => rm(join(directory, 'shadow', frozen), { recursive: true, force: true }),
  }
}

/** Removes frozen tables of a killed server; they take disk space. */
export async function removeFrozenTables({ directory }: Pick<AnalyticsSnapshots, 'directory'>): Promise<void> {
  const shadow = join(directory, 'shadow')
  const { directories } = await listTree(shadow)
  for (const path of directories.filter((one) => one.startsWith(FROZEN) && !one.includes('/'))) {
    await rm(join(shadow, path), { recursive: true, force: true })
  }
}

const sizeOfFolder = async (folder: string) => sizeOfFiles(folder, (await listTree(folder)).files)
