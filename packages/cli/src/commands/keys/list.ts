import { command } from '../../command.ts'
import { shortTime, table } from '../../output.ts'

export default command({
  summary: 'List API keys',
  flags: {},
  async run({ client, output }) {
    output.data(await client.listApiKeys(), (keys) =>
      table(keys, [
        ['ID', ({ id }) => id],
        ['KEY', ({ short_key }) => short_key],
        ['NAME', ({ description }) => description || undefined],
        ['ROLE', ({ role }) => role],
        ['CREATED', ({ created_at }) => shortTime(created_at)],
        ['LAST USED', ({ last_used_at }) => shortTime(last_used_at)],
        ['EXPIRES', ({ expires_at }) => shortTime(expires_at)],
      ]),
    )
  },
})
