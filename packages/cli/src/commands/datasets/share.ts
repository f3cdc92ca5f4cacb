import { command } from '../../command.ts'
import { datasetKey, UsageError } from '../../flags.ts'

export default command({
  summary: 'Open a dataset to whoever has its link, or close it again',
  words: ['id-or-name'],
  flags: {
    experiments: { type: 'boolean', says: 'its experiments too' },
    stop: { type: 'boolean', says: 'close it; the link leads nowhere from now on' },
  },
  async run({ client, output, words, flags }) {
    if (flags.stop && flags.experiments) throw new UsageError('--stop and --experiments exclude each other.')
    const { id, name } = await client.readDataset(datasetKey(words[0] ?? ''))
    if (flags.stop) {
      await client.unshareDataset(id)
      output.data({ dataset_id: id, shared: false }, () => '')
      output.talk(`Closed the dataset "${name}".`)
      return
    }
    const share = await client.shareDataset(id, undefined, { shareProjects: flags.experiments })
    output.data(share, ({ url }) => url)
    output.talk(`Whoever has this link can read "${name}"; --stop closes it.`)
  },
})
