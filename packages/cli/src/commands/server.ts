import { parseUuid } from '@touchstone/contract'
import type { ServerAdmin } from '@touchstone/sdk'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable } from '../output.ts'
import { runServer } from '../server-program.ts'

export const startServer = command({
  summary: 'Start a server with the web UI on this machine',
  isPassedOn: true,
  flags: {},
  notes: ['`touchstone start --help` lists the flags of the server.'],
  run: ({ positionals }) => runServer(positionals),
})

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

export const openPage = command({
  summary: 'Open a page of the web UI in the browser, by an id or by a link that a client printed',
  positionals: ['id-or-link?'],
  flags: { print: { type: 'boolean', description: 'print the address instead of opening it' } },
  notes: [
    'An id may be of a run, project, experiment, dataset, example or annotation queue. Of a link, the path is opened on',
    'the server of --endpoint: the Python client prints links of a local server without its port. Without an argument,',
    'the home page is opened.',
  ],
  async run({ client, output, positionals, flags }) {
    const [target = '/'] = positionals
    const id = parseUuid(target)
    const path = id === undefined ? toPath(target) : (await client.resolveId(id)).app_path
    const url = client.getHostUrl() + path
    if (!flags.print) await (await import('open')).default(url)
    output.data({ url }, () => url)
  },
})

/** @throws UsageError for what is neither a link nor a path */
function toPath(target: string): string {
  if (target.startsWith('/')) return target
  const link = URL.canParse(target) ? new URL(target) : undefined
  if (link === undefined || !/^https?:$/.test(link.protocol)) {
    throw new UsageError(`"${target}" is no id, and no link that starts with http:// or https://.`)
  }
  return link.pathname + link.search + link.hash
}
