import { text } from 'node:stream/consumers'
import type { Client, NotificationChannel, NotificationChannelWrite, NotificationDelivery } from '@touchstone/sdk'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable } from '../output.ts'

export const listChannels = command({
  summary: 'List notification channels: where notices of alerts, rules and budgets are sent',
  flags: {},
  async run({ client, output }) {
    const { channels } = await client.listNotificationChannels()
    output.data(channels, formatChannels)
  },
})

type Config = NotificationChannelWrite['config']

export const createChannel = command({
  summary: 'Create a notification channel',
  positionals: ['name'],
  flags: {
    kind: { type: 'string', value: 'KIND', description: 'webhook, slack, slack_bot, teams, pagerduty or email' },
    url: { type: 'string', value: 'URL', description: 'of webhook, slack and teams' },
    header: {
      type: 'string',
      value: 'LINE',
      multiple: true,
      description: 'of webhook: "name: value"; may be repeated',
    },
    token: { type: 'string', value: 'TOKEN', description: 'of slack_bot; begins with xoxb-' },
    channel: { type: 'string', value: 'NAME', description: 'of slack_bot: #name or id' },
    'routing-key': { type: 'string', value: 'KEY', description: 'of pagerduty: the integration key of a service' },
    endpoint: { type: 'string', value: 'URL', description: 'of slack_bot and pagerduty, for a gateway' },
    to: { type: 'string', value: 'ADDRESS', multiple: true, description: 'of email; may be repeated' },
  },
  notes: [
    'Give - for one of --url, --token and --routing-key to read this secret from standard input. The signing secret of a webhook',
    'is printed once. For admins.',
  ],
  async run({ client, output, positionals: [name = ''], flags }) {
    const config = toConfig(flags.kind, {
      url: await readSecret(flags.url),
      headers: readHeaders(flags.header ?? []),
      token: await readSecret(flags.token),
      channel: flags.channel,
      routing_key: await readSecret(flags['routing-key']),
      endpoint: flags.endpoint,
      to: flags.to && [...flags.to],
    })
    const made = await client.createNotificationChannel({ name, config })
    output.data(made, (channel) => formatChannels([channel]))
    if (made.signing_secret !== null) output.message(`Signing secret, shown once: ${made.signing_secret}`)
    output.message(`Send a test: touchstone channels test ${made.id}`)
  },
})

interface Given {
  readonly url: string | undefined
  readonly headers: Record<string, string>
  readonly token: string | undefined
  readonly channel: string | undefined
  readonly routing_key: string | undefined
  readonly endpoint: string | undefined
  readonly to: string[] | undefined
}

function toConfig(kind: string | undefined, given: Given): Config {
  const { url, headers, token, channel, routing_key, endpoint, to } = given
  switch (kind) {
    case 'webhook':
      return { kind, url: need('url', url), headers }
    case 'slack':
    case 'teams':
      return { kind, url: need('url', url) }
    case 'slack_bot':
      return { kind, token: need('token', token), channel: need('channel', channel), endpoint }
    case 'pagerduty':
      return { kind, routing_key: need('routing-key', routing_key), endpoint }
    case 'email':
      return { kind, to: need('to', to) }
    default:
      throw new UsageError('--kind must be webhook, slack, slack_bot, teams, pagerduty or email.')
  }
}

function need<Value>(flag: string, value: Value | undefined): Value {
  if (value === undefined) throw new UsageError(`This kind needs --${flag}.`)
  return value
}

const readSecret = async (given: string | undefined) => (given === '-' ? (await text(process.stdin)).trim() : given)

function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      if (at < 1) throw new UsageError('--header must be "name: value".')
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

export const testChannel = command({
  summary: 'Send a test notice now and show what the receiver answered',
  positionals: ['channel'],
  flags: {},
  notes: ['CHANNEL is a name or an id. Ends with an error when the notice was not delivered. For admins.'],
  async run({ client, output, positionals: [channel = ''] }) {
    const { id } = await findChannel(client, channel)
    const delivery = await client.testNotificationChannel(id)
    output.data(delivery, formatDelivery)
    if (delivery.status !== 'delivered') throw new Error('The test notice was not delivered.')
  },
})

export const deleteChannel = command({
  summary: 'Delete a notification channel with its deliveries',
  positionals: ['channel'],
  flags: { yes: { type: 'boolean', description: 'confirm' } },
  notes: ['CHANNEL is a name or an id. Alerts and rules that use it can no longer send to it. For admins.'],
  async run({ client, output, positionals: [channel = ''], flags: { yes } }) {
    const { id, name } = await findChannel(client, channel)
    if (yes !== true) throw new UsageError(`This deletes the channel "${name}". Add --yes to confirm.`)
    await client.deleteNotificationChannel(id)
    output.message(`Deleted the channel "${name}".`)
  },
})

async function findChannel(client: Client, name: string): Promise<NotificationChannel> {
  const { channels } = await client.listNotificationChannels()
  const found = channels.find((one) => one.name === name || one.id === name)
  if (found === undefined) throw new UsageError(`There is no notification channel "${name}".`)
  return found
}

function formatChannels(channels: readonly NotificationChannel[]): string {
  return formatTable(channels, [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
    ['KIND', ({ kind }) => kind],
    ['STATE', ({ state }) => state],
    ['TO', ({ config }) => (config === null ? undefined : printTarget(config))],
    ['LAST SUCCESS', ({ last_success_at }) => last_success_at ?? undefined],
    ['LAST FAILURE', ({ last_failure }) => last_failure ?? undefined],
  ])
}

function printTarget(config: NonNullable<NotificationChannel['config']>): string {
  if ('url' in config) return config.url
  if ('channel' in config) return config.channel
  if ('to' in config) return config.to.join(', ')
  return config.endpoint ?? 'PagerDuty'
}

function formatDelivery({ id, status, response_status, response_text, error }: NotificationDelivery): string {
  return formatTable(
    [{ id, status, response_status, answer: error ?? response_text }],
    [
      ['DELIVERY', (row) => row.id],
      ['STATUS', (row) => row.status],
      ['CODE', (row) => row.response_status ?? undefined],
      ['ANSWER', (row) => row.answer ?? undefined],
    ],
  )
}
