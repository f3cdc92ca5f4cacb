export { BackupError } from './backup-error.ts'
export {
  type BackupPhase,
  type BackupSource,
  createBackup,
  removeFrozenTables,
} from './create-backup.ts'
export { type Manifest, readManifest } from './manifest.ts'
export { assertRestored, restoreBackup } from './restore-backup.ts'
export { verifyBackup } from './verify-backup.ts'
