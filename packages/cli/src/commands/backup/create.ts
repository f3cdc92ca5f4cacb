import type { Backup } from '@touchstone/sdk'
import { command } from '../../command.ts'
import { shortBytes } from '../../output.ts'

const LOOK_EVERY_MS = 500

export default command({
  summary: 'Make a backup of a running server in its backup directory',
  flags: {},
  notes: [
    'The server needs --backup-dir (or TOUCHSTONE_BACKUP_DIR). The key needs the role admin and belongs to a server administrator.',
  ],
  async run({ client, output }) {
    let backup = await client.createBackup()
    let told = ''
    while (backup.status === 'running') {
      const line = progressLine(backup)
      if (line !== told) output.talk(line)
      told = line
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      backup = await client.readBackup(backup.id)
    }
    if (backup.status !== 'complete')
      throw new Error(`The backup ${backup.id} failed: ${backup.error ?? backup.status}`)
    output.talk(`Complete: ${shortBytes(backup.bytes)}, writes waited ${backup.pause_ms} ms.`)
    output.data(backup, ({ path }) => path)
  },
})

function progressLine({ phase, bytes_done, bytes_total }: Backup): string {
  if (phase === null || !bytes_total) return 'Starting …'
  return `${PHASES[phase]} … ${Math.floor((100 * (bytes_done ?? 0)) / bytes_total)} %`
}

const PHASES = {
  relational: 'Copying the relational store',
  analytics: 'Copying runs',
  blobs: 'Copying attachments',
  checksums: 'Computing checksums',
} as const
