import { collect } from '../../collect.ts'
import { command } from '../../command.ts'
import { wholeNumber } from '../../flags.ts'
import { shortSeconds, shortTime, table } from '../../output.ts'

export default command({
  summary: 'List projects with their figures, newest first',
  flags: {
    name: { type: 'string', value: 'TEXT', says: 'only those whose name contains this' },
    limit: { type: 'string', value: 'N', says: 'at most so many (default 50)' },
  },
  async run({ client, output, flags }) {
    const limit = wholeNumber('limit', flags.limit) ?? 50
    const projects = await collect(client.listProjects({ nameContains: flags.name, includeStats: true, limit }))
    output.data(projects, (rows) =>
      table(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['TRACES', ({ run_count }) => run_count],
        ['ERRORS', ({ error_rate }) => (error_rate == null ? undefined : `${(error_rate * 100).toFixed(1)} %`)],
        ['P50', ({ latency_p50 }) => shortSeconds(latency_p50)],
        ['P99', ({ latency_p99 }) => shortSeconds(latency_p99)],
        ['TOKENS', ({ total_tokens }) => total_tokens],
        ['COST', ({ total_cost }) => (total_cost == null ? undefined : `$${total_cost}`)],
        ['LAST TRACE', ({ last_run_start_time }) => shortTime(last_run_start_time)],
      ]),
    )
    if (projects.length === limit) output.talk(`These are the first ${limit}; --limit shows more.`)
  },
})
