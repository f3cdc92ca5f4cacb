import type { Readable } from 'node:stream'

/** Stores bytes under the hash of their content. */
export interface Blobs {
  /**
   * Stores bytes durably and returns their key, the lower-case hex SHA-256. Identical bytes are stored once, and count
   * as put now.
   */
  put(bytes: Uint8Array): Promise<string>
  /** Returns the bytes of a key, or `undefined` when there are none. */
  get(key: string): Promise<Buffer | undefined>
  /**
   * Opens a blob to read it piece by piece, all of it or a range. The caller reads or destroys the stream.
   *
   * @returns undefined when there is no such blob
   * @throws UnsatisfiableRangeError when no byte of the blob is in the range
   */
  open(key: string, range?: ByteRange): Promise<OpenBlob | undefined>
  /**
   * Counts a blob as put now. Call it before a new row refers to a blob that is stored already: within the grace period
   * that follows, the blob is not removed.
   *
   * @returns false when there is no such blob
   */
  touch(key: string): Promise<boolean>
  /** Whether a key has bytes. */
  has(key: string): Promise<boolean>
  /** Yields every stored blob once, in ascending order of keys, in batches. */
  list(): AsyncGenerator<readonly StoredBlob[]>
  /**
   * Removes the bytes of a key, unless they were put or touched at or after a moment, also while this runs. Removes
   * nothing during a hold.
   *
   * @param notSinceMs  milliseconds since 1970
   * @returns whether this call removed them
   */
  remove(key: string, notSinceMs: number): Promise<boolean>
  /** Removes the files of interrupted writes before a moment. @returns how many files */
  removeLeftovers(beforeMs: number): Promise<number>
  /**
   * Holds back removals in this process until the returned function is called, e.g. while a backup copies the store.
   * Settles once no removal is running; several holds may overlap.
   */
  holdRemovals(): Promise<() => void>
  close(): Promise<void>
}

/** A range of bytes, as an HTTP request names it (RFC 9110, section 14.1.2). */
export type ByteRange =
  /** From `first` up to `last`, both included; up to the end without `last`. */
  | { readonly first: number; readonly last?: number | undefined }
  /** As many bytes from the end. */
  | { readonly lastBytes: number }

export interface OpenBlob {
  /** Bytes of the whole blob. */
  readonly size: number
  /** Positions of the first and the last byte of `bytes`; `last` is `first - 1` for an empty blob. */
  readonly first: number
  readonly last: number
  readonly bytes: Readable
}

/** A range beyond the end of a blob. */
export class UnsatisfiableRangeError extends Error {
  override readonly name = 'UnsatisfiableRangeError'

  constructor(readonly size: number) {
    super(`The range begins after the last of ${size} bytes.`)
  }
}

/**
 * Positions of the first and the last byte of a range in a blob.
 *
 * @throws UnsatisfiableRangeError when no byte of the blob is in the range
 */
export function resolveRange(range: ByteRange | undefined, size: number): Pick<OpenBlob, 'first' | 'last'> {
  if (range === undefined) return { first: 0, last: size - 1 }
  const first = 'lastBytes' in range ? Math.max(0, size - range.lastBytes) : range.first
  const last = 'lastBytes' in range ? size - 1 : Math.min(range.last ?? size - 1, size - 1)
  if (first > last) throw new UnsatisfiableRangeError(size)
  return { first, last }
}

/** Whether a text can be a key: lower-case hex SHA-256. */
export const isBlobKey = (key: string): boolean => /^[0-9a-f]{64}$/.test(key)

export interface StoredBlob {
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Time of the last put or touch, in milliseconds since 1970. */
  readonly lastPutMs: number
}
