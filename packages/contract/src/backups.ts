import { z } from 'zod'
import { describeRoutes } from './route.ts'
import * as routes from './routes.ts'

/** `interrupted`: the server ended while it was made. */
export const BACKUP_STATUSES = ['running', 'complete', 'failed', 'interrupted'] as const
export const BackupStatus = z.enum(BACKUP_STATUSES)
export type BackupStatus = z.infer<typeof BackupStatus>

/** What is being done; `checksums` reads everything once more. */
export const BACKUP_PHASES = ['relational', 'analytics', 'blobs', 'checksums'] as const
export const BackupPhase = z.enum(BACKUP_PHASES)
export type BackupPhase = z.infer<typeof BackupPhase>

export const Backup = z.object({
  /** Also the name of its folder. */
  id: z.string(),
  status: BackupStatus,
  /** The folder on the server's disk. */
  path: z.string(),
  started_at: z.string(),
  /** Of a backup that is running. */
  phase: BackupPhase.nullable(),
  /** Bytes read so far, of about `bytes_total`; null unless it is running. */
  bytes_done: z.int().nullable(),
  bytes_total: z.int().nullable(),
  /** Of a complete backup: everything that was acknowledged before this moment is in it. */
  point_in_time: z.string().nullable(),
  /** Milliseconds for which writes waited. */
  pause_ms: z.number().nullable(),
  /** Size of a complete backup. */
  bytes: z.int().nullable(),
  /** Version of the server that made it. */
  touchstone_version: z.string().nullable(),
  /** Why it failed. */
  error: z.string().nullable(),
})
export type Backup = z.infer<typeof Backup>

/** Why a server cannot make backups: no directory is set for them, or a store is not its own to copy. */
export const BackupObstacle = z.enum(['no_directory', 'postgres', 'clickhouse'])
export type BackupObstacle = z.infer<typeof BackupObstacle>

export const BackupList = z.object({
  /** Where the server keeps backups; null when no backup directory is set. */
  directory: z.string().nullable(),
  /** Why this server cannot make backups, and what to do; null when it can. */
  unavailable: z.string().nullable(),
  /** The same for programs. */
  unavailable_reason: BackupObstacle.nullable(),
  /** Newest first. */
  backups: z.array(Backup),
})
export type BackupList = z.infer<typeof BackupList>

export const backupRoutes = describeRoutes(routes.backups, 'backups', {
  list: {
    extension: true,
    summary: 'Backups of all workspaces in the backup directory of the server, newest first',
    answer: BackupList,
  },
  create: {
    extension: true,
    summary: 'Start a backup of the whole server into its backup directory; 409 while another is running',
    status: 202,
    answer: Backup,
  },
  read: {
    extension: true,
    summary: 'A backup and how far it is',
    params: z.object({ backup_id: z.string().max(100) }),
    answer: Backup,
  },
})
