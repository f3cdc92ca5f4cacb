import type { ServerAdmin } from '@touchstone/sdk'
import { command } from '../command.ts'
import { formatTable } from '../output.ts'

export const showStatus = command({
  summary: 'Show the server, its version and the workspace of the key',
  flags: {},
  async run({ client, output }) {
    const info = await client.getInfo()
    const workspace = await client.getSettings()
    output.data({ version: info.version, limits: info.batch_ingest_config, workspace }, () =>
      [
        `version    ${info.version}`,
        `workspace  ${workspace.display_name} (${workspace.id})`,
        `batches    up to ${info.batch_ingest_config?.size_limit ?? '?'} runs`,
      ].join('\n'),
    )
  },
})

export const listServerAdmins = command({
  summary: 'List the server administrators',
  flags: {},
  async run({ client, output }) {
    output.data(await client.listServerAdmins(), (admins) =>
      formatTable(admins, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['EMAIL', ({ email }) => email],
      ]),
    )
  },
})

export const addServerAdmin = command({
  summary: 'Make an account a server administrator, effective immediately',
  positionals: ['email'],
  flags: {},
  async run({ client, output, positionals }) {
    const [email = ''] = positionals
    const admin = await client.addServerAdmin(email)
    output.message(`${admin.name} (${admin.email}) is now a server administrator.`)
    output.data(admin, ({ id }) => id)
  },
})

export const removeServerAdmin = command({
  summary: 'Remove a server administrator, effective immediately; the last one cannot be removed',
  positionals: ['id-or-email'],
  flags: {},
  async run({ client, output, positionals }) {
    const [idOrEmail = ''] = positionals
    const isRequested = ({ id, email }: ServerAdmin) => id === idOrEmail || email === idOrEmail.toLowerCase()
    const found = (await client.listServerAdmins()).find(isRequested)
    // The server rejects an unknown id with the usual error.
    const id = found?.id ?? idOrEmail
    await client.removeServerAdmin(id)
    output.data({ id, removed: true }, () => '')
    output.message(`${found?.email ?? idOrEmail} is no longer a server administrator.`)
  },
})
