import { collect } from '../../collect.ts'
import { command } from '../../command.ts'
import { datasetKey, wholeNumber } from '../../flags.ts'
import { table } from '../../output.ts'

export default command({
  summary: 'List the versions of a dataset, newest first',
  words: ['id-or-name'],
  flags: {
    example: { type: 'string', value: 'ID', says: 'only versions that changed this example' },
    tag: { type: 'string', value: 'TEXT', says: 'only versions with a tag that contains this' },
    limit: { type: 'string', value: 'N', says: 'at most so many (default 50)' },
  },
  async run({ client, output, words, flags }) {
    const limit = wholeNumber('limit', flags.limit) ?? 50
    const key = datasetKey(words[0] ?? '')
    const query = { ...key, exampleId: flags.example, search: flags.tag, limit }
    const versions = await collect(client.listDatasetVersions(query))
    output.data(versions, (rows) =>
      table(rows, [
        ['VERSION', ({ as_of }) => as_of],
        ['TAGS', ({ tags }) => tags?.join(', ') || undefined],
      ]),
    )
    if (versions.length === limit) output.talk(`These are the newest ${limit}; --limit shows more.`)
  },
})
