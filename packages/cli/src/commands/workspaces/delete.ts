import { command } from '../../command.ts'
import { UsageError } from '../../flags.ts'

export default command({
  summary: 'Delete a workspace with everything in it; a key deletes its own alone',
  words: ['id'],
  flags: {
    confirm: { type: 'string', value: 'NAME', says: 'the name of the workspace; without this, nothing is deleted' },
  },
  async run({ client, output, words, flags }) {
    const id = words[0]!
    const name = (await client.listWorkspaces()).find((workspace) => workspace.id === id)?.display_name
    if (name !== undefined && flags.confirm !== name) {
      throw new UsageError(
        `This would delete the workspace "${name}" with all of its projects, datasets, prompts and keys. Add --confirm with its name to do it.`,
      )
    }
    const deletion = await client.deleteWorkspace(id)
    output.data(deletion, () => '')
    output.talk(`Deleted the workspace "${name ?? id}". Its data is being removed; the record is ${deletion.id}.`)
  },
})
