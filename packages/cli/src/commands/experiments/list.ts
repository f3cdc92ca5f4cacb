import { collect } from '../../collect.ts'
import { command } from '../../command.ts'
import { datasetKey, wholeNumber } from '../../flags.ts'
import { shortNumber, shortSeconds, shortTime, table } from '../../output.ts'

export default command({
  summary: 'List experiments over a dataset with their scores, newest first',
  words: ['dataset'],
  flags: {
    name: { type: 'string', value: 'TEXT', says: 'only those whose name contains this' },
    limit: { type: 'string', value: 'N', says: 'at most so many (default 50)' },
  },
  async run({ client, output, words, flags }) {
    const limit = wholeNumber('limit', flags.limit) ?? 50
    const { id } = await client.readDataset(datasetKey(words[0] ?? ''))
    const query = { referenceDatasetId: id, nameContains: flags.name, includeStats: true, limit }
    const experiments = await collect(client.listProjects(query))
    const keys = [...new Set(experiments.flatMap(({ feedback_stats }) => Object.keys(feedback_stats ?? {})))].sort()
    output.data(experiments, (rows) =>
      table(rows, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['RUNS', ({ run_count }) => run_count],
        ['ERRORS', ({ error_rate }) => (error_rate == null ? undefined : `${(error_rate * 100).toFixed(1)} %`)],
        ['P50', ({ latency_p50 }) => shortSeconds(latency_p50)],
        ...keys.map(
          (key) => [key, (row: (typeof rows)[number]) => shortNumber(row.feedback_stats?.[key]?.avg)] as const,
        ),
        ['STARTED', ({ start_time }) => shortTime(start_time)],
      ]),
    )
    if (experiments.length === limit) output.talk(`These are the first ${limit}; --limit shows more.`)
  },
})
