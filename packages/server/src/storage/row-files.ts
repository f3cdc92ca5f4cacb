import { createReadStream, createWriteStream } from 'node:fs'
import { type Readable, Transform, type TransformCallback, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, constants as zlib } from 'node:zlib'

/** Ending of the files of this module: rows as tab-separated text, one per line, compressed with gzip. */
export const ROW_FILE = '.tsv.gz'

/** Called with the number of bytes that were written since the last call. An error that it throws ends the writing. */
export type OnBytes = (bytes: number) => void

export interface WriteOptions {
  readonly onBytes?: OnBytes
  /** Ends the writing. */
  readonly signal?: AbortSignal
}

/**
 * Writes rows that an engine prints to a new file for its owner alone.
 *
 * @param rows  one row per line; line breaks inside values are escaped
 * @returns the number of lines
 */
export async function writeRowFile(rows: Readable, path: string, options: WriteOptions = {}): Promise<number> {
  const { onBytes = () => {}, signal } = options
  const lines = new LineCounter()
  const file = createWriteStream(path, { mode: 0o600, flags: 'wx' })
  await pipeline(rows, lines, createGzip({ level: zlib.Z_BEST_SPEED }), meter(onBytes), file, {
    ...(signal && { signal }),
  })
  return lines.count
}

/** The rows of a file, as the engine printed them. */
export function readRowFile(path: string): Readable {
  const file = createReadStream(path)
  const text = createGunzip()
  // Errors of the file reach the reader of the text.
  pipeline(file, text).catch((error: Error) => text.destroy(error))
  return text
}

/** Reads a file to its end. @returns the number of lines */
export async function countRows(path: string): Promise<number> {
  const lines = new LineCounter()
  await pipeline(createReadStream(path), createGunzip(), lines, new Writable({ write: (_, __, done) => done() }))
  return lines.count
}

const LINE_FEED = 10

class LineCounter extends Transform {
  count = 0

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) this.count++
    done(null, chunk)
  }
}

const meter = (onBytes: OnBytes) =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      try {
        onBytes(chunk.length)
        done(null, chunk)
      } catch (error) {
        done(error as Error) // the caller wants to stop
      }
    },
  })

/** PostgreSQL holds no longer value. A file of a few megabytes may be a line without end. */
const MAX_LINE_BYTES = 1024 ** 3

/**
 * Cuts text into pieces that end with a line.
 *
 * @param bytes  of a piece, about; a longer line is one piece
 * @param maxLineBytes  @default a gigabyte
 * @throws Error for a longer line
 */
export async function* cutAtLines(
  rows: Readable,
  bytes: number,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<Buffer> {
  let pending: Buffer[] = []
  let size = 0
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1
    const isEnough = end > 0 && size + end >= bytes
    if (isEnough) yield Buffer.concat([...pending, chunk.subarray(0, end)])
    const rest = isEnough ? chunk.subarray(end) : chunk
    if (isEnough) pending = []
    pending.push(rest)
    size = (isEnough ? 0 : size) + rest.length
    if (size > Math.max(bytes, maxLineBytes)) throw new Error(`A row is longer than ${maxLineBytes} bytes.`)
  }
  if (size > 0) yield Buffer.concat(pending)
}
