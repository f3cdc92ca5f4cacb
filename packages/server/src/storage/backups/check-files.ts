import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { NEWEST_VERSION as analyticsVersion } from '../analytics/migrate.ts'
import { NEWEST_VERSION as relationalVersion } from '../relational/migrate.ts'
import { BackupError, hashFile, inParallel, unlessGone } from './files.ts'
import type { Manifest } from './manifest.ts'

const MAX_NAMED = 5

/** @throws BackupError when the data is of a newer version than this program */
export function assertKnownMigrations(backup: string, { relational, analytics, touchstone_version }: Manifest): void {
  const isNewer = relational.migration > relationalVersion || analytics.migration > analyticsVersion
  if (!isNewer) return
  throw new BackupError(
    'failed',
    `${backup} was made by a newer Touchstone (${touchstone_version}). Install that version, or a newer one.`,
  )
}

/** @throws BackupError that names missing, cut or changed files */
export async function assertChecksums(backup: string, { files }: Pick<Manifest, 'files'>): Promise<void> {
  const problems: string[] = []
  await inParallel(files, async ({ path, bytes, sha256 }) => {
    const full = join(backup, path)
    const found = await stat(full).catch(unlessGone)
    if (found === undefined) problems.push(`${path} is missing`)
    else if (found.size !== bytes) problems.push(`${path} has ${found.size} bytes instead of ${bytes}`)
    else if ((await hashFile(full)).sha256 !== sha256) problems.push(`${path} was changed: its checksum does not match`)
  })
  if (problems.length === 0) return
  const named = problems.toSorted().slice(0, MAX_NAMED).join('; ')
  const more = problems.length > MAX_NAMED ? ` (and ${problems.length - MAX_NAMED} more)` : ''
  throw new BackupError('failed', `${backup} is damaged: ${named}${more}. Use another backup.`)
}
