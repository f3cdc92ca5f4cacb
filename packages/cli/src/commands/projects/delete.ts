import { command } from '../../command.ts'
import { isUuid, UsageError } from '../../flags.ts'

export default command({
  summary: 'Delete a project with all of its runs',
  words: ['id-or-name'],
  flags: { yes: { type: 'boolean', says: 'do it; without this, nothing is deleted' } },
  async run({ client, output, words, flags }) {
    const [word = ''] = words
    const key = isUuid(word) ? { projectId: word } : { projectName: word }
    const { id, name } = await client.readProject(key)
    if (!flags.yes)
      throw new UsageError(`This would delete the project "${name}" and all of its runs. Add --yes to do it.`)
    await client.deleteProject({ projectId: id })
    output.data({ id, name, deleted: true }, () => '')
    output.talk(`Deleted the project "${name}" (${id}).`)
  },
})
