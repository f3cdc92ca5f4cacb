import { createHash } from 'node:crypto'
import { lstat, readFile, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { BackupError } from './files.ts'

export const MANIFEST_FILE = 'manifest.json'
const CHECKSUM_FILE = 'manifest.json.sha256'

/** Versions of this layout; a reader refuses others. 1: both stores are copies of files. 2: a store may be rows. */
const FORMATS = [1, 2]

/** A path inside the backup: relative, with `/`, without `..`. */
const InnerPath = z.string().refine((path) => /^[^/\0][^\0]*$/.test(path) && !path.split('/').includes('..'), {
  message: 'must stay inside the backup',
})

/** Becomes part of a statement and of a path. */
const TableName = z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)?$/)

/** A column store has links from the names of its tables to their files. */
const Link = z
  .object({ path: InnerPath, target: z.string().regex(/^(\.\.\/)*store\/[\w/-]+$/) })
  .refine(({ path, target }) => posix.join(posix.dirname(path), target).startsWith('analytics/store/'), {
    message: 'must stay inside the store',
  })

/** What is needed beside the rows of a relational store to make its tables again. */
const RelationalAsRows = z.object({
  /** Versions of the migrations that made the tables. */
  migrations: z.array(z.int()),
  /** Last value of each sequence, by `table.column`. */
  sequences: z.record(z.string().regex(/^[a-z0-9_]+\.[a-z0-9_]+$/), z.string().regex(/^\d+$/)),
  /** Version of the tables of the job queue; null when it had none yet. */
  job_queue: z.int().nullable(),
})

/** The content of a backup. Written last: a backup without it is not complete. */
export const Manifest = z.object({
  format: z.literal(FORMATS),
  touchstone_version: z.string(),
  /** The backup contains everything that was acknowledged before this moment. ISO 8601, UTC. */
  point_in_time: z.string(),
  /** Milliseconds for which writes waited. */
  pause_ms: z.number(),
  relational: z.object({
    migration: z.int(),
    /** Rows by table; of files, tables too large to count while writes wait are absent. */
    rows: z.record(TableName, z.int()),
    /** Absent when the engine's files were copied. */
    as_rows: RelationalAsRows.optional(),
  }),
  analytics: z.object({
    migration: z.int(),
    /** Stored rows by table, before the engine merges versions of the same row. */
    rows: z.record(TableName, z.int()),
    /** Tables that others follow, as rows; absent when the engine's files were copied. */
    as_rows: z.literal(true).optional(),
  }),
  blobs: z.object({
    count: z.int(),
    bytes: z.int(),
    /** Where they were; the backup has them in files in both cases. Absent in backups of earlier versions. */
    store: z.enum(['disk', 's3']).optional(),
  }),
  bytes: z.int(),
  files: z.array(z.object({ path: InnerPath, bytes: z.int(), sha256: z.string() })),
  /** Folders, including empty ones: the engines expect them. */
  directories: z.array(InnerPath),
  /** Symbolic links, relative to their own folder. */
  links: z.array(Link),
})
export type Manifest = z.infer<typeof Manifest>

export async function writeManifest(backup: string, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest)
  await writeFile(join(backup, MANIFEST_FILE), text, { mode: 0o600, flush: true })
  await writeFile(join(backup, CHECKSUM_FILE), `${sha256(text)}  ${MANIFEST_FILE}\n`, { mode: 0o600, flush: true })
}

/** @throws BackupError when it is missing, changed, or of another format */
export async function readManifest(backup: string): Promise<Manifest> {
  const text = await readText(backup, MANIFEST_FILE)
  const checksum = await readText(backup, CHECKSUM_FILE)
  if (!checksum.startsWith(sha256(text))) {
    throw new BackupError('failed', `${join(backup, MANIFEST_FILE)} was changed or cut: its checksum does not match.`)
  }
  const value = parseManifest(backup, text)
  const format = z.object({ format: z.unknown() }).safeParse(value).data?.format
  if (!FORMATS.includes(Number(format))) {
    throw new BackupError(
      'failed',
      `${backup} has format ${format}, this version reads the formats ${FORMATS.join(' and ')}. Use the Touchstone version that made it, or a newer one.`,
    )
  }
  const manifest = Manifest.safeParse(value)
  if (manifest.success) return manifest.data
  throw new BackupError('failed', `${join(backup, MANIFEST_FILE)} is not valid: ${manifest.error.issues[0]?.message}`)
}

function parseManifest(backup: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BackupError('failed', `${join(backup, MANIFEST_FILE)} is not JSON.`, error)
  }
}

/** Enough for millions of files. */
const MAX_MANIFEST_BYTES = 512 * 1024 * 1024

/** @throws BackupError for what is no file, such as a link to a device that never ends */
async function readText(backup: string, name: string): Promise<string> {
  try {
    const found = await lstat(join(backup, name))
    if (!found.isFile() || found.size > MAX_MANIFEST_BYTES) {
      throw new BackupError('failed', `${join(backup, name)} is not a file, or too large.`)
    }
    return await readFile(join(backup, name), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
    throw new BackupError(
      'not_found',
      `${backup} is not a complete backup: it has no ${name}. It may have been interrupted; use another.`,
      error,
    )
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
