export {
  type BackupPhase,
  type BackupSource,
  createBackup,
  removeFrozenTables,
} from './create-backup.ts'
export { BackupError } from './files.ts'
export { type Manifest, readManifest } from './manifest.ts'
export { assertRestored, restoreBackup, verifyBackup } from './restore-backup.ts'
