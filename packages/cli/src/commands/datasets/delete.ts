import { command } from '../../command.ts'
import { datasetKey, UsageError } from '../../flags.ts'

export default command({
  summary: 'Delete a dataset with its examples and versions',
  words: ['id-or-name'],
  flags: { yes: { type: 'boolean', says: 'do it; without this, nothing is deleted' } },
  async run({ client, output, words, flags }) {
    const { id, name, example_count } = await client.readDataset(datasetKey(words[0] ?? ''))
    if (!flags.yes) {
      throw new UsageError(
        `This would delete the dataset "${name}" and its ${example_count} examples. Add --yes to do it.`,
      )
    }
    await client.deleteDataset({ datasetId: id })
    output.data({ id, name, deleted: true }, () => '')
    output.talk(`Deleted the dataset "${name}" (${id}).`)
  },
})
