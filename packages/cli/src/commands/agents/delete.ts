import { command } from '../../command.ts'
import { UsageError } from '../../flags.ts'

export default command({
  summary: 'Delete an agent with its environments, projects and traces',
  words: ['id'],
  flags: { yes: { type: 'boolean', says: 'do it; without this, nothing is deleted' } },
  async run({ client, output, words, flags }) {
    // An unknown id is no error to the server, but it is a mistake of the person who typed it.
    const { id, name } = await client.agents.get(words[0] ?? '')
    if (!flags.yes)
      throw new UsageError(
        `This would delete the agent "${name}", its environments, their projects and all traces. Add --yes to do it.`,
      )
    await client.agents.delete(id)
    output.data({ id, name, deleted: true }, () => '')
    output.talk(`Deleted the agent "${name}" (${id}).`)
  },
})
