import { ApiError, contract } from '@touchstone/contract'
import { type App, serve } from '../../../http/serve.ts'
import { removeFrozenTables } from '../../../storage/backups/index.ts'
import { type BackupDeps, BackupMaker, findObstacle, OBSTACLES } from './backup-maker.ts'
import { listBackups } from './list-backups.ts'

/** Mounts the routes, and removes what backups of an earlier process left in the column store. */
export async function backupRoutes(app: App, deps: BackupDeps): Promise<void> {
  const { backups } = contract
  const { config } = deps
  const maker = new BackupMaker(deps)
  app.onClose(() => maker.close())
  if (deps.analytics.snapshots !== undefined) await removeFrozenTables(deps.analytics.snapshots)

  const list = async () => {
    const made = config.backupDir === undefined ? [] : await listBackups(config.backupDir, maker.ids())
    return [...maker.list(), ...made].toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1))
  }

  serve(app, backups.list, async () => {
    const obstacle = findObstacle(deps)
    return {
      directory: config.backupDir ?? null,
      unavailable: obstacle === undefined ? null : OBSTACLES[obstacle],
      unavailable_reason: obstacle ?? null,
      backups: await list(),
    }
  })

  serve(app, backups.create, async () => maker.start())

  serve(app, backups.read, async ({ params }) => {
    const found = (await list()).find(({ id }) => id === params.backup_id)
    if (found === undefined) throw new ApiError('NOT_FOUND', 'Backup not found')
    return found
  })
}
