import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { Backup, BackupList } from '../schemas.ts'
import { Calls } from './calls.ts'

/** Backups of the whole server, for server administrators. Extensions of ours. */
export class BackupCalls extends Calls {
  /** Backups in the backup directory of the server, newest first. */
  async listBackups(options: CallOptions = {}): Promise<BackupList> {
    return await this.transport.call(routes.backups.list, { doing: 'list backups', ...options })
  }

  /**
   * Starts a backup on the server's disk and answers while it runs; `readBackup` tells how far it is.
   *
   * @throws ConflictError while another backup is running
   */
  async createBackup(options: CallOptions = {}): Promise<Backup> {
    return await this.transport.call(routes.backups.create, { doing: 'start a backup', ...options })
  }

  async readBackup(id: string, options: CallOptions = {}): Promise<Backup> {
    return await this.transport.call(routes.backups.read, {
      params: { backup_id: id },
      doing: `read backup ${id}`,
      ...options,
    })
  }
}
