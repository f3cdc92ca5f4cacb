import { command } from '../../command.ts'

export default command({
  summary: 'Create a workspace on an open server; elsewhere people create them when they are signed in',
  words: ['name'],
  flags: {
    handle: { type: 'string', value: 'TEXT', says: 'its public name in addresses of prompts' },
  },
  async run({ client, output, words, flags }) {
    const workspace = await client.createWorkspace({ displayName: words[0]!, tenantHandle: flags.handle })
    output.talk(`Created the workspace ${workspace.display_name}. Set TOUCHSTONE_WORKSPACE_ID to its id to use it.`)
    output.data(workspace, ({ id }) => id)
  },
})
