import { command } from '../../command.ts'

export default command({
  summary: 'Make a person with an account a server administrator, at once',
  words: ['email'],
  flags: {},
  async run({ client, output, words }) {
    const admin = await client.addServerAdmin(words[0]!)
    output.talk(`${admin.name} (${admin.email}) is a server administrator now.`)
    output.data(admin, ({ id }) => id)
  },
})
