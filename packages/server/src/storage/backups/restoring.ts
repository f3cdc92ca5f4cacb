import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Present while a restore fills a data directory. */
export const RESTORING_FILE = 'touchstone.restoring'

/** @throws Error when a restore into the directory was interrupted */
export function assertRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING_FILE))) return
  throw new Error(
    `A restore into ${dataDir} is running or was interrupted, so its data is not complete. Run \`touchstone backup restore\` again.`,
  )
}
