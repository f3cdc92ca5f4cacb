declare module 'fs-native-extensions' {
  /**
   * Takes an exclusive lock on the whole file behind a descriptor, without waiting. On Linux it is a lock of the open
   * file description (`fcntl(F_OFD_SETLK)`), on macOS `flock`.
   *
   * @returns false where another open file holds it
   * @throws Error with a system error code such as ENOLCK
   */
  export function tryLock(fd: number): boolean
}
