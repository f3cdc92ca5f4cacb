import { type FileHandle, mkdir, open, readdir, readFile, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type JournalRecord, printRecord, readRecords } from './records.ts'

export interface Journal {
  /**
   * Appends one record. All calls that wait share one synchronization of the file.
   *
   * @returns its number, once the record is durable
   * @throws JournalFullError when the disk has too little space; any other error of the file system
   */
  append(body: Buffer): Promise<number>
  /** Records durably that a record and all before it are in the store. Removes files that are no longer needed. */
  markApplied(number: number): Promise<void>
  /** Bytes of records that are not applied, as far as their files still exist. */
  readonly bytes: number
  /** Waits for running writes. A journal of which everything is applied leaves no files. */
  close(): Promise<void>
}

/** The journal found at its opening. */
export interface OpenedJournal {
  readonly journal: Journal
  /** Records that are not applied yet, in their order. */
  readonly records: readonly JournalRecord[]
  /** Bytes after the last whole record, which no writer was answered for. They are kept in a file `*.torn`. */
  readonly tornBytes: number
}

export interface JournalOptions {
  /** A segment that has reached this size is followed by a new one. @default 16 MiB */
  readonly segmentBytes?: number
  /** Free space that an append leaves: the store must be able to take what the journal has accepted. @default 0 */
  readonly keepFreeBytes?: number
}

/** The disk has too little space for an append. Nothing was stored. */
export class JournalFullError extends Error {
  override readonly name = 'JournalFullError'
}

/**
 * Opens the journal in a directory, and creates it where it is missing. Accepted writes are appended to files
 * (segments) before they are applied to the store in large blocks. Only one process may use a directory.
 *
 * @see docs/decisions/0080-journal-before-the-store.md
 */
export async function openJournal(directory: string, options: JournalOptions = {}): Promise<OpenedJournal> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const applied = await openAppliedMark(directory)
  const found = await readSegments(directory)
  const all = found.flatMap(({ records }) => records)
  const files = new SegmentFiles(directory, options, found.map(toSegment))
  const last = Math.max(applied.number, all.at(-1)?.number ?? 0)
  return {
    journal: new FileJournal(files, applied, last),
    records: all.filter(({ number }) => number > applied.number),
    tornBytes: found.reduce((sum, { tornBytes }) => sum + tornBytes, 0),
  }
}

interface Waiting {
  readonly body: Buffer
  readonly settle: (number: number) => void
  readonly fail: (error: unknown) => void
}

/** Bytes of one write, so that a synchronization does not take long for the first of many waiting records. */
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024

class FileJournal implements Journal {
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined

  constructor(
    private readonly files: SegmentFiles,
    private readonly applied: AppliedMark,
    private last: number,
  ) {}

  get bytes(): number {
    return this.files.bytes
  }

  append(body: Buffer): Promise<number> {
    return new Promise((settle, fail) => {
      this.#waiting.push({ body, settle, fail })
      this.#writing ??= this.#writeWaiting()
    })
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup()
      // A failed write has used its numbers, because bytes of it may be left.
      const records = group.map(({ body }) => ({ number: ++this.last, body }))
      try {
        await this.files.write(records)
        const first = this.last - group.length + 1
        for (const [at, { settle }] of group.entries()) settle(first + at)
      } catch (error) {
        for (const { fail } of group) fail(error)
      }
    }
    this.#writing = undefined
  }

  #takeGroup(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const { body } of this.#waiting) {
      if (count > 0 && bytes + body.length > MAX_BYTES_AT_ONCE) break
      bytes += body.length
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async markApplied(number: number): Promise<void> {
    await this.applied.write(number)
    await this.files.removeUpTo(number)
  }

  async close(): Promise<void> {
    await this.#writing
    await this.files.close(this.applied.number >= this.last)
    await this.applied.close()
  }
}

/** A file of records. */
interface Segment {
  readonly path: string
  readonly bytes: number
  /** Number of its last record. */
  readonly last: number
}

interface ReadSegment {
  readonly path: string
  readonly records: readonly JournalRecord[]
  readonly wholeBytes: number
  readonly tornBytes: number
}

const toSegment = ({ path, wholeBytes, records }: ReadSegment): Segment => ({
  path,
  bytes: wholeBytes,
  last: records.at(-1)?.number ?? 0,
})

const SEGMENT_NAME = /^\d{16}\.journal$/

/** Reads all segments. Bytes behind the last whole record of one are moved into a file of their own. */
async function readSegments(directory: string): Promise<ReadSegment[]> {
  const names = (await readdir(directory)).filter((name) => SEGMENT_NAME.test(name)).sort()
  const segments: ReadSegment[] = []
  for (const name of names) {
    const path = join(directory, name)
    const content = await readFile(path)
    const { records, wholeBytes } = readRecords(content)
    const tornBytes = content.length - wholeBytes
    if (tornBytes > 0) {
      await writeFile(`${path}.torn`, content.subarray(wholeBytes), { mode: 0o600 })
      await truncate(path, wholeBytes)
    }
    segments.push({ path, records, wholeBytes, tornBytes })
  }
  return segments
}

/** The segment that is written, and the earlier ones. */
class SegmentFiles {
  #current: { readonly path: string; readonly file: FileHandle; bytes: number; last: number } | undefined
  readonly #segmentBytes: number

  constructor(
    private readonly directory: string,
    private readonly options: JournalOptions,
    private finished: Segment[],
  ) {
    this.#segmentBytes = options.segmentBytes ?? 16 * 1024 * 1024
  }

  get bytes(): number {
    return this.finished.reduce((sum, { bytes }) => sum + bytes, 0) + (this.#current?.bytes ?? 0)
  }

  /** Writes records and synchronizes the file. */
  async write(records: readonly JournalRecord[]): Promise<void> {
    const content = Buffer.concat(records.map(printRecord))
    await this.#requireSpace(content.length)
    const last = records.at(-1)?.number ?? 0
    const segment = await this.#open(last - records.length + 1, last)
    try {
      await writeAll(segment.file, content, segment.bytes)
      await segment.file.datasync()
    } catch (error) {
      // After a failed synchronization the state of the file is unknown, so the next records get a new file.
      await segment.file.truncate(segment.bytes).catch(() => {})
      await this.#finish()
      throw isFull(error) ? new JournalFullError('The disk of the journal is full.', { cause: error }) : error
    }
    segment.bytes += content.length
    if (segment.bytes >= this.#segmentBytes) await this.#finish()
  }

  /** Removes segments whose records have all been applied. */
  async removeUpTo(applied: number): Promise<void> {
    if (this.#current !== undefined && this.#current.last <= applied && this.#current.bytes > REUSED_BYTES) {
      await this.#finish()
    }
    const unneeded = this.finished.filter(({ last }) => last <= applied)
    this.finished = this.finished.filter(({ last }) => last > applied)
    await Promise.all(unneeded.map(({ path }) => rm(path, { force: true })))
  }

  async close(isEverythingApplied: boolean): Promise<void> {
    await this.#finish()
    if (isEverythingApplied) await this.removeUpTo(Number.MAX_SAFE_INTEGER)
  }

  /** Sets the last record before it is written: the file must not be removed because the earlier ones were applied. */
  async #open(first: number, last: number) {
    if (this.#current !== undefined) {
      this.#current.last = last
      return this.#current
    }
    const path = join(this.directory, `${String(first).padStart(16, '0')}.journal`)
    const segment = { path, file: await open(path, 'w', 0o600), bytes: 0, last }
    this.#current = segment
    await syncDirectory(this.directory)
    return segment
  }

  async #finish(): Promise<void> {
    if (this.#current === undefined) return
    const { path, file, bytes, last } = this.#current
    this.#current = undefined
    await file.close()
    this.finished.push({ path, bytes, last })
  }

  async #requireSpace(bytes: number): Promise<void> {
    const { keepFreeBytes = 0 } = this.options
    if (keepFreeBytes === 0) return
    const { bavail, bsize } = await statfs(this.directory)
    if (bavail * bsize - bytes >= keepFreeBytes) return
    const free = Math.round((bavail * bsize) / 1e6)
    const kept = Math.round(keepFreeBytes / 1e6)
    throw new JournalFullError(`The disk has ${free} MB free; ${kept} MB must stay free for the column store.`)
  }
}

/** A smaller segment is continued after all of its records were applied. */
const REUSED_BYTES = 1024 * 1024

/** Two slots, written in turn: a torn write leaves the other one. */
const SLOT_BYTES = 512

/** The number of the last record in the store. */
interface AppliedMark {
  readonly number: number
  write(number: number): Promise<void>
  close(): Promise<void>
}

async function openAppliedMark(directory: string): Promise<AppliedMark> {
  const path = join(directory, 'applied')
  const content = await readFile(path).catch(() => Buffer.alloc(0))
  const file = await open(path, content.length === 0 ? 'w+' : 'r+', 0o600)
  if (content.length === 0) await syncDirectory(directory)
  const slots = [readSlot(content, 0), readSlot(content, SLOT_BYTES)]
  let number = Math.max(...slots)
  let turn = slots.indexOf(number)
  return {
    get number() {
      return number
    },
    async write(next) {
      if (next <= number) return
      const slot = Buffer.alloc(12)
      slot.writeBigUInt64LE(BigInt(next))
      slot.writeUInt32LE(crc32(slot.subarray(0, 8)), 8)
      turn = 1 - turn
      await writeAll(file, slot, turn * SLOT_BYTES)
      await file.datasync()
      number = next
    },
    close: () => file.close(),
  }
}

/** 0 when the slot is empty or torn. */
function readSlot(content: Buffer, at: number): number {
  if (content.length < at + 12) return 0
  const slot = content.subarray(at, at + 12)
  return crc32(slot.subarray(0, 8)) === slot.readUInt32LE(8) ? Number(slot.readBigUInt64LE(0)) : 0
}

async function writeAll(file: FileHandle, content: Buffer, position: number): Promise<void> {
  for (let done = 0; done < content.length; ) {
    const { bytesWritten } = await file.write(content, done, content.length - done, position + done)
    done += bytesWritten
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '')
