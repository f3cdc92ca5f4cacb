/** A copy of everything a server stores, in its backup directory. */
export interface Backup {
  /** Also the name of its folder. */
  id: string
  /** `interrupted`: the server ended while it was made. */
  status: 'running' | 'complete' | 'failed' | 'interrupted'
  /** The folder on the server's disk. */
  path: string
  started_at: string
  /** Of a backup that is running. */
  phase: 'relational' | 'analytics' | 'blobs' | 'checksums' | null
  /** Bytes read so far, of about `bytes_total`; null unless it is running. */
  bytes_done: number | null
  bytes_total: number | null
  /** Of a complete backup: everything that was acknowledged before this moment is in it. */
  point_in_time: string | null
  /** Milliseconds for which writes waited. */
  pause_ms: number | null
  /** Size of a complete backup. */
  bytes: number | null
  /** Version of the server that made it. */
  touchstone_version: string | null
  /** Why it failed. */
  error: string | null
}

export interface BackupList {
  /** Where the server keeps backups; null when no backup directory is set. */
  directory: string | null
  /** Why this server cannot make backups, and what to do; null when it can. */
  unavailable: string | null
  /** The same for programs: no directory is set, or a store is not the server's own to copy. */
  unavailable_reason: 'no_directory' | 'postgres' | 'clickhouse' | null
  /** Newest first. */
  backups: Backup[]
}
