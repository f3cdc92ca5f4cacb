import { collect } from '../../collect.ts'
import { command } from '../../command.ts'
import { wholeNumber } from '../../flags.ts'
import { shortTime, table } from '../../output.ts'

export default command({
  summary: 'List datasets, those with the newest experiments first',
  flags: {
    name: { type: 'string', value: 'TEXT', says: 'only those whose name contains this' },
    limit: { type: 'string', value: 'N', says: 'at most so many (default 50)' },
  },
  async run({ client, output, flags }) {
    const limit = wholeNumber('limit', flags.limit) ?? 50
    const datasets = await collect(client.listDatasets({ datasetNameContains: flags.name, limit }))
    output.data(datasets, (rows) =>
      table(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['TYPE', ({ data_type }) => data_type],
        ['EXAMPLES', ({ example_count }) => example_count],
        ['EXPERIMENTS', ({ session_count }) => session_count],
        ['CHANGED', ({ modified_at }) => shortTime(modified_at)],
      ]),
    )
    if (datasets.length === limit) output.talk(`These are the first ${limit}; --limit shows more.`)
  },
})
