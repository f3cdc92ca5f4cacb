import { resolve } from 'node:path'
import type { Backup } from '@touchstone/sdk'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatBytes, formatTable, formatTime } from '../output.ts'
import { runServerTask } from '../server-program.ts'

const POLL_INTERVAL_MS = 500

export const createBackup = command({
  summary: 'Create a backup of a running server in its backup directory',
  flags: {},
  notes: [
    'The server needs --backup-dir (or TOUCHSTONE_BACKUP_DIR). The key needs the role admin and must belong to a server administrator.',
  ],
  async run({ client, output }) {
    let backup = await client.createBackup()
    let printed = ''
    while (backup.status === 'running') {
      const progress = formatProgress(backup)
      if (progress !== printed) output.message(progress)
      printed = progress
      await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS))
      backup = await client.readBackup(backup.id)
    }
    if (backup.status !== 'complete') {
      throw new Error(`The backup ${backup.id} failed: ${backup.error ?? backup.status}`)
    }
    output.message(`Complete: ${formatBytes(backup.bytes)}; writes were paused for ${backup.pause_ms} ms.`)
    output.data(backup, ({ path }) => path)
  },
})

export const listBackups = command({
  summary: 'List the backups of a server, newest first',
  flags: {},
  async run({ client, output }) {
    const list = await client.listBackups()
    if (list.unavailable !== null) output.message(list.unavailable)
    output.data(list, ({ backups }) =>
      formatTable(backups, [
        ['ID', ({ id }) => id],
        ['STATUS', ({ status }) => status],
        ['POINT IN TIME', ({ point_in_time }) => formatTime(point_in_time)],
        ['SIZE', ({ bytes }) => formatBytes(bytes)],
        ['PATH', ({ path }) => path],
      ]),
    )
  },
})

export const verifyBackup = command({
  summary: 'Verify a backup: all checksums, and that both stores open; needs no running server',
  positionals: ['path'],
  flags: {},
  notes: ['Opens a copy in the temporary directory of the system (TMPDIR) and removes it afterwards.'],
  async run({ output, positionals }) {
    const [path = ''] = positionals
    const result = await runBackupTask(['--verify-backup', resolve(path)])
    output.data(
      result,
      ({ files, bytes, point_in_time }) =>
        `Valid: ${files} files, ${formatBytes(bytes)}, with all data acknowledged before ${point_in_time}.`,
    )
  },
})

export const restoreBackup = command({
  summary: 'Restore a backup into empty stores that no server uses',
  notes: [
    'Servers named by TOUCHSTONE_POSTGRES_URL, TOUCHSTONE_CLICKHOUSE_URL and TOUCHSTONE_S3_BUCKET are filled; the other stores are made in the data directory. A backup of embedded stores can be restored into servers, and the other way around.',
  ],
  positionals: ['path'],
  flags: {
    'data-dir': { type: 'string', value: 'DIR', description: 'data directory to create; must not exist or be empty' },
  },
  async run({ output, positionals, flags }) {
    const [path = ''] = positionals
    const dataDir = flags['data-dir']
    if (dataDir === undefined && !STORES_OF_SERVERS.every((name) => process.env[name])) {
      throw new UsageError(
        `--data-dir DIR is missing: the directory to restore into. It is not needed when ${STORES_OF_SERVERS.join(', ')} are all set.`,
      )
    }
    const target = dataDir === undefined ? [] : ['--data-dir', resolve(dataDir)]
    const result = await runBackupTask(['--restore-backup', resolve(path), ...target])
    const { data_dir } = result
    const start = data_dir === undefined ? 'with the same settings' : `with --data-dir ${data_dir}`
    output.message(`Restored to ${data_dir ?? 'the stores of the settings'}. Start the server ${start}.`)
    output.data(result, (restored) => restored.data_dir ?? '')
  },
})

/** With all of them, nothing is stored in the data directory. */
const STORES_OF_SERVERS = ['TOUCHSTONE_POSTGRES_URL', 'TOUCHSTONE_CLICKHOUSE_URL', 'TOUCHSTONE_S3_BUCKET']

function formatProgress({ phase, bytes_done, bytes_total }: Backup): string {
  if (phase === null || !bytes_total) return 'Starting …'
  return `${PHASES[phase]} … ${Math.floor((100 * (bytes_done ?? 0)) / bytes_total)} %`
}

const PHASES = {
  relational: 'Copying the relational store',
  analytics: 'Copying runs',
  blobs: 'Copying attachments',
  checksums: 'Computing checksums',
} as const

/** JSON that the server program prints about a backup. */
interface OfflineResult {
  backup: string
  data_dir?: string
  touchstone_version: string
  point_in_time: string
  bytes: number
  files: number
}

async function runBackupTask(args: readonly string[]): Promise<OfflineResult> {
  return JSON.parse(await runServerTask(args)) as OfflineResult
}
