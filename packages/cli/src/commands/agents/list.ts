import { collect } from '../../collect.ts'
import { command } from '../../command.ts'
import { wholeNumber } from '../../flags.ts'
import { shortTime, table } from '../../output.ts'

export default command({
  summary: 'List agents, the latest run first',
  flags: {
    search: { type: 'string', value: 'TEXT', says: 'only those whose name or id contains this' },
    limit: { type: 'string', value: 'N', says: 'at most so many (default 50)' },
  },
  async run({ client, output, flags }) {
    const limit = wholeNumber('limit', flags.limit) ?? 50
    const agents = client.agents.list({
      search: flags.search,
      sort_by: 'last_run_start_time',
      page_size: Math.min(limit, 100),
    })
    const shown = await collect(agents, limit)
    output.data(shown, (rows) =>
      table(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['TYPE', ({ agent_type }) => agent_type.toLowerCase()],
        ['ENVIRONMENTS', ({ environments }) => environments.map((one) => one.environment.toLowerCase()).join(', ')],
        ['CREATED', ({ created_at }) => shortTime(created_at)],
      ]),
    )
    if (shown.length === limit) output.talk(`These are the first ${limit}; --limit shows more.`)
  },
})
