import { command } from '../../command.ts'
import { datasetKey } from '../../flags.ts'

export default command({
  summary: 'List the examples that two versions of a dataset do not share',
  words: ['id-or-name', 'from', 'to?'],
  flags: {},
  notes: ['Versions are times or tags; the second is "latest" unless given. Added: +, removed: -, changed: ~.'],
  async run({ client, output, words }) {
    const [dataset = '', fromVersion = '', toVersion = 'latest'] = words
    const diff = await client.diffDatasetVersions({ ...datasetKey(dataset), fromVersion, toVersion })
    const { examples_added, examples_removed, examples_modified } = diff
    output.data(diff, () =>
      [
        ...examples_added.map((id) => `+ ${id}`),
        ...examples_removed.map((id) => `- ${id}`),
        ...examples_modified.map((id) => `~ ${id}`),
      ].join('\n'),
    )
    output.talk(
      `${examples_added.length} added, ${examples_removed.length} removed, ${examples_modified.length} changed.`,
    )
  },
})
