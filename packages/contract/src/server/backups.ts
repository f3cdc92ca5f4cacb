import { z } from 'zod'
import * as routes from '../routes.ts'
import { describeRoutes } from '../wire/route.ts'

/** `interrupted`: the server ended during the backup. */
export const BACKUP_STATUSES = ['running', 'complete', 'failed', 'interrupted'] as const
export const BackupStatus = z.enum(BACKUP_STATUSES)
export type BackupStatus = z.infer<typeof BackupStatus>

/** Current step; `checksums` reads everything again. */
export const BACKUP_PHASES = ['relational', 'analytics', 'blobs', 'checksums'] as const
export const BackupPhase = z.enum(BACKUP_PHASES)
export type BackupPhase = z.infer<typeof BackupPhase>

export const Backup = z.object({
  /** Also the name of its folder. */
  id: z.string(),
  status: BackupStatus,
  /** Folder on the disk of the server. */
  path: z.string(),
  started_at: z.string(),
  /** Set while the backup is running. */
  phase: BackupPhase.nullable(),
  /** Bytes read so far, of about `bytes_total`; null unless it is running. */
  bytes_done: z.int().nullable(),
  bytes_total: z.int().nullable(),
  /** Of a complete backup: it contains everything that was acknowledged before this time. */
  point_in_time: z.string().nullable(),
  /** Milliseconds for which writes waited. */
  pause_ms: z.number().nullable(),
  /** Size of a complete backup. */
  bytes: z.int().nullable(),
  /** Version of the server that created it. */
  touchstone_version: z.string().nullable(),
  /** Reason of the failure. */
  error: z.string().nullable(),
})
export type Backup = z.infer<typeof Backup>

/** Reason why a server cannot create backups: it has no backup directory. */
export const BackupObstacle = z.enum(['no_directory'])
export type BackupObstacle = z.infer<typeof BackupObstacle>

export const BackupList = z.object({
  /** Folder of the backups; null when none is set. */
  directory: z.string().nullable(),
  /** Message that explains why this server cannot create backups, and what to do; null when it can. */
  unavailable: z.string().nullable(),
  /** The same as a code. */
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
