import { command } from '../../command.ts'
import { datasetKey } from '../../flags.ts'

export default command({
  summary: 'Name a version of a dataset; the tag moves if another version had it',
  words: ['id-or-name', 'tag'],
  flags: { 'as-of': { type: 'string', value: 'VERSION', says: 'a time or a tag (default the newest)' } },
  async run({ client, output, words, flags }) {
    const [dataset = '', tag = ''] = words
    const { id, name } = await client.readDataset(datasetKey(dataset))
    await client.updateDatasetTag({ datasetId: id, asOf: flags['as-of'] ?? 'latest', tag })
    const version = await client.readDatasetVersion({ datasetId: id, tag })
    output.data(version, ({ as_of }) => as_of)
    output.talk(`"${tag}" names that version of "${name}" now.`)
  },
})
