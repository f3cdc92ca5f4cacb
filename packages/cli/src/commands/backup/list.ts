import { command } from '../../command.ts'
import { shortBytes, shortTime, table } from '../../output.ts'

export default command({
  summary: 'List the backups of a server, newest first',
  flags: {},
  async run({ client, output }) {
    const list = await client.listBackups()
    if (list.unavailable !== null) output.talk(list.unavailable)
    output.data(list, ({ backups }) =>
      table(backups, [
        ['ID', ({ id }) => id],
        ['STATUS', ({ status }) => status],
        ['POINT IN TIME', ({ point_in_time }) => shortTime(point_in_time)],
        ['SIZE', ({ bytes }) => shortBytes(bytes)],
        ['PATH', ({ path }) => path],
      ]),
    )
  },
})
