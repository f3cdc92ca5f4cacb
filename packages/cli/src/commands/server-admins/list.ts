import { command } from '../../command.ts'
import { table } from '../../output.ts'

export default command({
  summary: 'List the people who administer the server',
  flags: {},
  async run({ client, output }) {
    output.data(await client.listServerAdmins(), (admins) =>
      table(admins, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['E-MAIL', ({ email }) => email],
      ]),
    )
  },
})
