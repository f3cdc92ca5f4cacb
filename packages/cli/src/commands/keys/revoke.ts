import { command } from '../../command.ts'

export default command({
  summary: 'Revoke an API key at once',
  words: ['id'],
  flags: {},
  async run({ client, output, words }) {
    const [id = ''] = words
    await client.revokeApiKey(id)
    output.data({ id, revoked: true }, () => '')
    output.talk(`Revoked the key ${id}.`)
  },
})
