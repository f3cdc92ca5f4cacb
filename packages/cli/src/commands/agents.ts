import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable, formatTime } from '../output.ts'
import { collect, LIMIT_FLAG, printLimitNotice, readLimit } from '../paging.ts'

const MAX_PAGE_SIZE = 100

export const listAgents = command({
  summary: 'List agents, those with the latest runs first',
  flags: {
    search: { type: 'string', value: 'TEXT', description: 'only agents whose name or id contains this text' },
    limit: LIMIT_FLAG,
  },
  async run({ client, output, flags }) {
    const limit = readLimit(flags.limit)
    const pages = client.agents.list({
      search: flags.search,
      sort_by: 'last_run_start_time',
      page_size: Math.min(limit, MAX_PAGE_SIZE),
    })
    const agents = await collect(pages, limit)
    output.data(agents, (rows) =>
      formatTable(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['TYPE', ({ agent_type }) => agent_type.toLowerCase()],
        ['ENVIRONMENTS', ({ environments }) => environments.map((item) => item.environment.toLowerCase()).join(', ')],
        ['CREATED', ({ created_at }) => formatTime(created_at)],
      ]),
    )
    printLimitNotice(output, agents, limit)
  },
})

export const getAgent = command({
  summary: 'Show the environments of an agent and their projects',
  positionals: ['id'],
  flags: {},
  async run({ client, output, positionals }) {
    const [id = ''] = positionals
    output.data(await client.agents.get(id), ({ environments }) =>
      formatTable(environments, [
        ['ENVIRONMENT', ({ environment }) => environment.toLowerCase()],
        ['PROJECT ID', ({ tracer_session_id }) => tracer_session_id],
        ['PROJECT', ({ tracer_session_name }) => tracer_session_name],
      ]),
    )
  },
})

export const createAgent = command({
  summary: 'Create an agent with a project for each environment',
  positionals: ['id'],
  flags: {
    name: { type: 'string', value: 'TEXT', description: 'display name (default the id)' },
    coding: { type: 'boolean', description: 'mark as a coding agent' },
  },
  async run({ client, output, positionals, flags }) {
    const [id = ''] = positionals
    const agent = await client.agents.create({ id, name: flags.name, agent_type: flags.coding ? 'CODING' : undefined })
    output.data(agent, () => agent.id)
    output.message(`Created the agent ${agent.id}. Send traces with LANGSMITH_AGENT_ID=${agent.id}.`)
  },
})

export const deleteAgent = command({
  summary: 'Delete an agent with its environments, projects and traces',
  positionals: ['id'],
  flags: { yes: { type: 'boolean', description: 'confirm; without this flag nothing is deleted' } },
  async run({ client, output, positionals, flags }) {
    const [requestedId = ''] = positionals
    // The server accepts unknown ids, so a mistyped id must fail here.
    const { id, name } = await client.agents.get(requestedId)
    if (!flags.yes) {
      throw new UsageError(
        `This would delete the agent "${name}", its environments, their projects and all traces. Add --yes to confirm.`,
      )
    }
    await client.agents.delete(id)
    output.data({ id, name, deleted: true }, () => '')
    output.message(`Deleted the agent "${name}" (${id}).`)
  },
})
