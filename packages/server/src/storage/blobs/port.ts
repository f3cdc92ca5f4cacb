/** Bytes under the hash of their content. */
export interface Blobs {
  /** Stores bytes durably and returns their key, the lower-case hex SHA-256. The same bytes are kept once. */
  put(bytes: Uint8Array): Promise<string>
  /** Bytes of a key, or `undefined` when there are none. */
  get(key: string): Promise<Buffer | undefined>
  /** Keeps every blob until the returned function is called; a backup copies them meanwhile. */
  holdRemovals?(): () => void
  close(): Promise<void>
}
