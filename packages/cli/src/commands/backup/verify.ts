import { resolve } from 'node:path'
import { command } from '../../command.ts'
import { shortBytes } from '../../output.ts'
import { runOffline } from './run-offline.ts'

export default command({
  summary: 'Check a backup: every checksum, and that both stores open; needs no running server',
  words: ['path'],
  flags: {},
  notes: ['Opens a copy in the temporary folder of the system (TMPDIR) and removes it.'],
  async run({ output, words }) {
    const result = await runOffline(['--verify-backup', resolve(words[0]!)])
    output.data(result, ({ files, bytes, point_in_time }) =>
      [`Valid: ${files} files, ${shortBytes(bytes)}, everything acknowledged before ${point_in_time}.`].join('\n'),
    )
  },
})
