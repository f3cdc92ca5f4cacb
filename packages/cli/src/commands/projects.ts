import { toProjectKey } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatPercent, formatSeconds, formatTable, formatTime } from '../output.ts'
import { collect, LIMIT_FLAG, printLimitNotice, readLimit } from '../paging.ts'

export const listProjects = command({
  summary: 'List projects with their statistics, newest first',
  flags: {
    name: { type: 'string', value: 'TEXT', description: 'only projects whose name contains this text' },
    limit: LIMIT_FLAG,
  },
  async run({ client, output, flags }) {
    const limit = readLimit(flags.limit)
    const projects = await collect(client.listProjects({ nameContains: flags.name, includeStats: true, limit }))
    output.data(projects, (rows) =>
      formatTable(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['TRACES', ({ run_count }) => run_count],
        ['ERRORS', ({ error_rate }) => formatPercent(error_rate)],
        ['P50', ({ latency_p50 }) => formatSeconds(latency_p50)],
        ['P99', ({ latency_p99 }) => formatSeconds(latency_p99)],
        ['TOKENS', ({ total_tokens }) => total_tokens],
        ['COST', ({ total_cost }) => (total_cost == null ? undefined : `$${total_cost}`)],
        ['LAST TRACE', ({ last_run_start_time }) => formatTime(last_run_start_time)],
      ]),
    )
    printLimitNotice(output, projects, limit)
  },
})

export const deleteProject = command({
  summary: 'Delete a project with all of its runs',
  positionals: ['id-or-name'],
  flags: { yes: { type: 'boolean', description: 'confirm; without this flag nothing is deleted' } },
  async run({ client, output, positionals, flags }) {
    const [idOrName = ''] = positionals
    const { id, name } = await client.readProject(toProjectKey(idOrName))
    if (!flags.yes) {
      throw new UsageError(`This would delete the project "${name}" and all of its runs. Add --yes to confirm.`)
    }
    await client.deleteProject({ projectId: id })
    output.data({ id, name, deleted: true }, () => '')
    output.message(`Deleted the project "${name}" (${id}).`)
  },
})
