import type { ServerAdmin } from '@touchstone/sdk'
import { command } from '../../command.ts'

export default command({
  summary: 'End that a person is a server administrator, at once; the last one stays',
  words: ['id-or-email'],
  flags: {},
  async run({ client, output, words }) {
    const word = words[0]!
    const isAsked = ({ id, email }: ServerAdmin) => id === word || email === word.toLowerCase()
    const found = (await client.listServerAdmins()).find(isAsked)
    // An id that is none of them is answered by the server, as everywhere.
    await client.removeServerAdmin(found?.id ?? word)
    output.data({ id: found?.id ?? word, removed: true }, () => '')
    output.talk(`${found?.email ?? word} is no server administrator any more.`)
  },
})
