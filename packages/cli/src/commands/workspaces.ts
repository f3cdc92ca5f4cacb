import { parseChoice } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable, formatTime } from '../output.ts'

export const listWorkspaces = command({
  summary: 'List the workspaces of the caller',
  flags: {},
  async run({ client, output }) {
    output.data(await client.listWorkspaces(), (workspaces) =>
      formatTable(workspaces, [
        ['ID', ({ id }) => id],
        ['NAME', ({ display_name }) => display_name],
        ['HANDLE', ({ tenant_handle }) => tenant_handle],
        ['ROLE', ({ role_name }) => role_name],
        ['CREATED', ({ created_at }) => formatTime(created_at)],
      ]),
    )
  },
})

export const createWorkspace = command({
  summary: 'Create a workspace on a server without authentication; elsewhere, signed-in people create them',
  positionals: ['name'],
  flags: {
    handle: { type: 'string', value: 'TEXT', description: 'public name in prompt identifiers' },
  },
  async run({ client, output, positionals, flags }) {
    const [displayName = ''] = positionals
    const workspace = await client.createWorkspace({ displayName, tenantHandle: flags.handle })
    output.message(`Created the workspace ${workspace.display_name}. To use it, set TOUCHSTONE_WORKSPACE_ID to its id.`)
    output.data(workspace, ({ id }) => id)
  },
})

export const deleteWorkspace = command({
  summary: 'Delete a workspace with all of its data; an API key can only delete its own workspace',
  positionals: ['id'],
  flags: {
    confirm: {
      type: 'string',
      value: 'NAME',
      description: 'name of the workspace; without this flag nothing is deleted',
    },
  },
  async run({ client, output, positionals, flags }) {
    const [id = ''] = positionals
    const name = (await client.listWorkspaces()).find((workspace) => workspace.id === id)?.display_name
    if (name !== undefined && flags.confirm !== name) {
      throw new UsageError(
        `This would delete the workspace "${name}" with all of its projects, datasets, prompts and keys. Add --confirm with its name to confirm.`,
      )
    }
    const deletion = await client.deleteWorkspace(id)
    output.data(deletion, () => '')
    output.message(`Deleted the workspace "${name ?? id}". Its data is being removed; the record is ${deletion.id}.`)
  },
})

export const listKeys = command({
  summary: 'List API keys of the workspace',
  flags: {},
  async run({ client, output }) {
    output.data(await client.listApiKeys(), (keys) =>
      formatTable(keys, [
        ['ID', ({ id }) => id],
        ['KEY', ({ short_key }) => short_key],
        ['NAME', ({ description }) => description || undefined],
        ['ROLE', ({ role }) => role],
        ['CREATED', ({ created_at }) => formatTime(created_at)],
        ['LAST USED', ({ last_used_at }) => formatTime(last_used_at)],
        ['EXPIRES', ({ expires_at }) => formatTime(expires_at)],
      ]),
    )
  },
})

export const createKey = command({
  summary: 'Create an API key; the key is shown only once',
  positionals: ['name?'],
  flags: {
    'read-only': { type: 'boolean', description: 'a key without write access: same as --role viewer' },
    role: { type: 'string', value: 'ROLE', description: 'viewer, member or admin (default your own role)' },
    expires: { type: 'string', value: 'DATE', description: 'expiry date, e.g. 2027-01-31' },
  },
  async run({ client, output, positionals, flags }) {
    if (flags.expires !== undefined && Number.isNaN(Date.parse(flags.expires))) {
      throw new UsageError(`--expires is not a date: ${flags.expires}`)
    }
    const key = await client.createApiKey({
      description: positionals[0],
      readOnly: flags['read-only'],
      role: parseChoice('role', ['viewer', 'member', 'admin'], flags.role),
      expiresAt: flags.expires,
    })
    output.message(`Created the key ${key.id}. It is shown only once. From now on the server requires a key.`)
    output.data(key, () => key.key)
  },
})

export const revokeKey = command({
  summary: 'Revoke an API key, effective immediately',
  positionals: ['id'],
  flags: {},
  async run({ client, output, positionals }) {
    const [id = ''] = positionals
    await client.revokeApiKey(id)
    output.data({ id, revoked: true }, () => '')
    output.message(`Revoked the key ${id}.`)
  },
})
