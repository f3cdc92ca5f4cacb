import { resolve } from 'node:path'
import { command } from '../../command.ts'
import { UsageError } from '../../flags.ts'
import { runOffline } from './run-offline.ts'

export default command({
  summary: 'Make an empty data directory from a backup; no server may run on it',
  words: ['path'],
  flags: { 'data-dir': { type: 'string', value: 'DIR', says: 'the data directory to make; absent or empty' } },
  async run({ output, words, flags }) {
    const dataDir = flags['data-dir']
    if (dataDir === undefined) throw new UsageError('--data-dir DIR is missing: the directory to restore into.')
    const result = await runOffline(['--restore-backup', resolve(words[0]!), '--data-dir', resolve(dataDir)])
    output.talk(`Restored to ${resolve(dataDir)}. Start the server with --data-dir ${resolve(dataDir)}.`)
    output.data(result, ({ data_dir }) => data_dir ?? '')
  },
})
