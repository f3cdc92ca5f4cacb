import { command } from '../command.ts'

export default command({
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
