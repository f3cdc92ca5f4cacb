import { mkdir, open, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunExportFormat } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { JobRow } from '../../storage/relational/tables/bulk-jobs.ts'
import { getSigningSecret, readToken, signToken } from '../attachments/index.ts'
import { selectJobIds } from './store.ts'

const LIFETIME_MS = 60 * 60 * 1000

export const MEDIA_TYPES: Record<RunExportFormat, string> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** Path of an export: beside the blobs, named by its job. */
export function exportPath({ config }: Pick<Deps, 'config'>, jobId: string, format: RunExportFormat): string {
  return join(config.dataDir, 'exports', `${jobId}.${format}`)
}

/**
 * Appends to a file whose first `bytes` are durable; anything behind them is left from a crash and is removed.
 *
 * @returns the number of durable bytes
 */
export async function appendDurably(path: string, bytes: number, text: string): Promise<number> {
  await mkdir(join(path, '..'), { recursive: true })
  const file = await open(path, 'a')
  try {
    if ((await file.stat()).size !== bytes) await truncate(path, bytes)
    await file.appendFile(text)
    await file.datasync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

export async function getFileSize(path: string): Promise<number> {
  return (await stat(path)).size
}

export async function removeExport(deps: Pick<Deps, 'config'>, jobId: string): Promise<void> {
  for (const format of Object.keys(MEDIA_TYPES) as RunExportFormat[]) {
    await rm(exportPath(deps, jobId, format), { force: true })
  }
}

/** A signed path that allows its holder to download an export for an hour. */
export async function signDownload(deps: Pick<Deps, 'relational' | 'clock'>, job: JobRow, format: RunExportFormat) {
  const day = job.created_at.slice(0, 10)
  const fields = [job.id, format, `runs-${day}.${format}`]
  const token = signToken('export', fields, deps.clock() + LIFETIME_MS, await getSigningSecret(deps))
  return `/api/v1/jobs/downloads/${token}`
}

export interface Download {
  readonly path: string
  readonly name: string
  readonly mimeType: string
}

/** The download of a signed path; undefined when it is forged or has expired. */
export async function readDownload(
  deps: Pick<Deps, 'relational' | 'clock' | 'config'>,
  token: string,
): Promise<Download | undefined> {
  const fields = readToken('export', token, await getSigningSecret(deps), deps.clock())
  if (fields === undefined) return undefined
  const [jobId, format, name] = fields as [string, RunExportFormat, string]
  return { path: exportPath(deps, jobId, format), name, mimeType: MEDIA_TYPES[format] }
}

/** Removes all exported files of a workspace. */
export async function removeTenantExports(deps: Pick<Deps, 'relational' | 'config'>, tenantId: string): Promise<void> {
  for (const id of await selectJobIds(deps.relational.db, tenantId)) await removeExport(deps, id)
}
