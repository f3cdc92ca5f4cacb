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

export interface StoredBlob {
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Time of the last put or touch, in milliseconds since 1970. */
  readonly lastPutMs: number
}
