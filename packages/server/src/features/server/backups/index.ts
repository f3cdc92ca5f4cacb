export { backupRoutes } from './backups.ts'
