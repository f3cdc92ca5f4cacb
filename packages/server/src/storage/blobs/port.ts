/** Bytes under the hash of their content. */
export interface Blobs {
  /**
   * Stores bytes durably and returns their key, the lower-case hex SHA-256. The same bytes are kept once, and count as
   * put now.
   */
  put(bytes: Uint8Array): Promise<string>
  /** Bytes of a key, or `undefined` when there are none. */
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
  /** Every stored blob once, in ascending order of keys, some at a time. */
  list(): AsyncGenerator<readonly StoredBlob[]>
  /**
   * Removes the bytes of a key, unless they were put or touched at or after a moment, also while this runs. Removes
   * nothing while removals are held.
   *
   * @param notSinceMs  milliseconds since 1970
   * @returns whether they are gone now because of this call
   */
  remove(key: string, notSinceMs: number): Promise<boolean>
  /** Removes what interrupted writes left behind before a moment. @returns how many files */
  removeLeftovers(beforeMs: number): Promise<number>
  /**
   * Stops removals in this process until the returned function is called, e.g. while a backup copies the store. Settles
   * once no removal is under way; several holders may hold at once.
   */
  holdRemovals(): Promise<() => void>
  close(): Promise<void>
}

export interface StoredBlob {
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** When it was put or touched last, in milliseconds since 1970. */
  readonly lastPutMs: number
}
