import { command } from '../../command.ts'
import { oneOf, UsageError } from '../../flags.ts'

export default command({
  summary: 'Create an API key; it is shown this once',
  words: ['name?'],
  flags: {
    'read-only': { type: 'boolean', says: 'a key that cannot change anything: --role viewer' },
    role: { type: 'string', value: 'ROLE', says: 'viewer, member or admin; yours unless given' },
    expires: { type: 'string', value: 'DATE', says: 'when it ends, e.g. 2027-01-31' },
  },
  async run({ client, output, words, flags }) {
    if (flags.expires !== undefined && Number.isNaN(Date.parse(flags.expires))) {
      throw new UsageError(`--expires is not a date: ${flags.expires}`)
    }
    const key = await client.createApiKey({
      description: words[0],
      readOnly: flags['read-only'],
      role: oneOf('role', ['viewer', 'member', 'admin'], flags.role),
      expiresAt: flags.expires,
    })
    output.talk(`Created the key ${key.id}. It is shown this once; from now on the server asks for a key.`)
    output.data(key, () => key.key)
  },
})
