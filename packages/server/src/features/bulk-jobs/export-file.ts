import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { asc, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import { bulkJobParts, bulkJobs } from '../../storage/relational/tables/lifecycle.ts'

type FileDeps = Pick<Deps, 'relational' | 'blobs'>

/** Bytes of a part, which is held in memory. */
export const PART_BYTES = 4 * 1024 * 1024

/** A piece of an exported file, stored as a blob. */
export interface FilePart {
  readonly blob: string
  readonly bytes: number
}

/** Stores a piece of a file. A sweep removes it when no job refers to it. */
export async function storePart({ blobs }: Pick<Deps, 'blobs'>, bytes: Buffer): Promise<FilePart> {
  return { blob: await blobs.put(bytes), bytes: bytes.length }
}

/**
 * Adds pieces to the file of a job.
 *
 * @param position  bytes of the file before them
 * @throws Error when another process has added a piece there
 */
export async function addParts(
  tx: Database,
  jobId: string,
  position: number,
  parts: readonly FilePart[],
): Promise<void> {
  let at = position
  for (const part of parts) {
    await tx.insert(bulkJobParts).values({ job_id: jobId, position: at, ...part })
    at += part.bytes
  }
}

export async function removeParts(tx: Database, jobId: string): Promise<void> {
  await tx.delete(bulkJobParts).where(eq(bulkJobParts.job_id, jobId))
}

export async function selectParts(db: Database, jobId: string): Promise<FilePart[]> {
  const { blob, bytes } = bulkJobParts
  return db
    .select({ blob, bytes })
    .from(bulkJobParts)
    .where(eq(bulkJobParts.job_id, jobId))
    .orderBy(asc(bulkJobParts.position))
}

/** The bytes of an exported file; undefined when the job or its file is gone. */
export async function openExport(
  deps: FileDeps,
  jobId: string,
): Promise<{ readonly bytes: number; readonly content: Readable } | undefined> {
  const [job] = await deps.relational.db.select({ bytes: bulkJobs.bytes }).from(bulkJobs).where(eq(bulkJobs.id, jobId))
  const parts = await selectParts(deps.relational.db, jobId)
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  // The size of a file is forgotten with its parts.
  if (job?.bytes !== bytes) return undefined
  return { bytes, content: readParts(deps, parts) }
}

export const readParts = ({ blobs }: Pick<Deps, 'blobs'>, parts: readonly FilePart[]): Readable =>
  Readable.from(concatenate(blobs, parts), { objectMode: false })

async function* concatenate(blobs: Deps['blobs'], parts: readonly FilePart[]): AsyncGenerator<Buffer> {
  for (const { blob } of parts) {
    const opened = await blobs.open(blob)
    if (opened === undefined) throw new Error(`The part ${blob} of an exported file is missing.`)
    yield* opened.bytes as AsyncIterable<Buffer>
  }
}

/** Lets `write` make a temporary file, and stores its bytes. */
export async function storeFile(
  deps: Pick<Deps, 'blobs'>,
  write: (path: string) => Promise<void>,
): Promise<FilePart[]> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-export-'))
  try {
    const path = join(folder, 'file')
    await write(path)
    const parts: FilePart[] = []
    for await (const bytes of createReadStream(path, { highWaterMark: PART_BYTES }) as AsyncIterable<Buffer>) {
      parts.push(await storePart(deps, bytes))
    }
    return parts
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
