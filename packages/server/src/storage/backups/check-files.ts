import { lstat } from 'node:fs/promises'
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
  await inParallel(files, async (file) => {
    const { path, sha256 } = file
    const problem = await findSizeProblem(backup, file)
    if (problem !== undefined) problems.push(problem)
    else if ((await hashFile(join(backup, path))).sha256 !== sha256)
      problems.push(`${path} was changed: its checksum does not match`)
  })
  throwIfAny(backup, problems)
}

/**
 * Compares files with their sizes, before they are copied: a link, a pipe or a device may have no end.
 *
 * @throws BackupError that names files that are missing, cut or no files
 */
export async function assertSizes(backup: string, { files }: Pick<Manifest, 'files'>): Promise<void> {
  const problems: string[] = []
  await inParallel(files, async (file) => {
    const problem = await findSizeProblem(backup, file)
    if (problem !== undefined) problems.push(problem)
  })
  throwIfAny(backup, problems)
}

async function findSizeProblem(
  backup: string,
  { path, bytes }: Manifest['files'][number],
): Promise<string | undefined> {
  const found = await lstat(join(backup, path)).catch(unlessGone)
  if (found === undefined) return `${path} is missing`
  if (!found.isFile()) return `${path} is not a file`
  return found.size === bytes ? undefined : `${path} has ${found.size} bytes instead of ${bytes}`
}

function throwIfAny(backup: string, problems: readonly string[]): void {
  if (problems.length === 0) return
  const named = problems.toSorted().slice(0, MAX_NAMED).join('; ')
  const more = problems.length > MAX_NAMED ? ` (and ${problems.length - MAX_NAMED} more)` : ''
  throw new BackupError('failed', `${backup} is damaged: ${named}${more}. Use another backup.`)
}
