import type { Config } from '../config.ts'
import { BackupError, type Manifest, restoreBackup, verifyBackup } from '../storage/backups/index.ts'

/** Exit codes as those of the command line of Touchstone. */
const EXIT_CODES = { not_found: 3, not_empty: 5, failed: 1 } as const

/**
 * Verifies or restores a backup without a server, and ends the process. The result goes to standard output as a line of
 * JSON, progress and errors to standard error.
 */
export async function useBackup(config: Config): Promise<never> {
  const backup = (config.restoreBackup ?? config.verifyBackup)!
  const say = (sentence: string) => console.error(`${sentence} …`)
  try {
    const manifest =
      config.restoreBackup === undefined
        ? await verifyBackup(backup, say)
        : await restoreBackup(backup, config.dataDir, say)
    const dataDir = config.restoreBackup === undefined ? {} : { data_dir: config.dataDir }
    console.log(JSON.stringify({ backup, ...dataDir, ...summarize(manifest) }))
    process.exit(0)
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    console.error(error.message)
    process.exit(EXIT_CODES[error.kind])
  }
}

function summarize({ files, directories: _, links: __, ...rest }: Manifest) {
  return { ...rest, files: files.length }
}
