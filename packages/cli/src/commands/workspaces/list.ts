import { command } from '../../command.ts'
import { shortTime, table } from '../../output.ts'

export default command({
  summary: 'List the workspaces that the caller belongs to',
  flags: {},
  async run({ client, output }) {
    output.data(await client.listWorkspaces(), (workspaces) =>
      table(workspaces, [
        ['ID', ({ id }) => id],
        ['NAME', ({ display_name }) => display_name],
        ['HANDLE', ({ tenant_handle }) => tenant_handle ?? undefined],
        ['ROLE', ({ role_name }) => role_name],
        ['CREATED', ({ created_at }) => shortTime(created_at)],
      ]),
    )
  },
})
