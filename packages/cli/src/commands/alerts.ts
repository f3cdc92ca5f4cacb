import type { Alert, AlertDefinitionWrite, Client } from '@touchstone/sdk'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable } from '../output.ts'

export const listAlerts = command({
  summary: 'List alerts with their states, those that fire first',
  flags: { firing: { type: 'boolean', description: 'only those that fire' } },
  async run({ client, output, flags: { firing } }) {
    const found: Alert[] = []
    for await (const alert of client.listAlerts({ isFiring: firing || undefined })) found.push(alert)
    output.data(found, formatAlerts)
  },
})

export const createAlert = command({
  summary: 'Create an alert on a metric of a project',
  positionals: ['name'],
  flags: {
    project: { type: 'string', value: 'NAME', description: 'name or id of the project' },
    metric: { type: 'string', value: 'METRIC', description: 'error_rate, errors, latency, cost, runs, feedback …' },
    statistic: { type: 'string', value: 'NAME', description: 'such as p95, avg or sum' },
    'feedback-key': { type: 'string', value: 'KEY', description: 'of the metric feedback' },
    filter: { type: 'string', value: 'FILTER', description: 'which runs count' },
    scope: { type: 'string', value: 'SCOPE', description: 'traces or runs (default traces)' },
    window: { type: 'string', value: 'MINUTES', description: 'length of the window (default 15)' },
    kind: { type: 'string', value: 'KIND', description: 'threshold, change or anomaly (default threshold)' },
    operator: { type: 'string', value: 'OP', description: 'gt, gte, lt or lte (default gt)' },
    warning: { type: 'string', value: 'LEVEL', description: 'level of a warning' },
    critical: { type: 'string', value: 'LEVEL', description: 'critical level' },
    channel: { type: 'string', value: 'NAME', multiple: true, description: 'whom to tell; may be repeated' },
  },
  notes: ['Prints what the alert would have done in the last 30 days.'],
  async run({ client, output, positionals: [name = ''], flags }) {
    const definition = {
      project_ids: [await findProject(client, need('project', flags.project))],
      metric: need('metric', flags.metric),
      statistic: flags.statistic,
      feedback_key: flags['feedback-key'],
      filter: flags.filter,
      scope: flags.scope,
      window_minutes: toNumber('window', flags.window ?? '15'),
      kind: flags.kind,
      operator: flags.operator,
      warning: toNumber('warning', flags.warning),
      critical: toNumber('critical', flags.critical),
      channel_ids: await findChannels(client, flags.channel ?? []),
    } as AlertDefinitionWrite // The server checks the words.
    const preview = await client.previewAlert(definition, { maxPoints: 10 })
    const made = await client.createAlert({ name, definition })
    output.data(made, (alert) => formatAlerts([alert]))
    const { episodes, firing_minutes } = preview
    output.message(`In the last 30 days: ${episodes.length} episodes, ${Math.round(firing_minutes)} minutes.`)
  },
})

export const testAlert = command({
  summary: 'Send a test notice to all recipients of an alert',
  positionals: ['alert'],
  flags: {},
  notes: ['ALERT is a name or an id.'],
  async run({ client, output, positionals: [name = ''] }) {
    const { id } = await findAlert(client, name)
    const deliveries = await client.testAlert(id)
    output.data({ delivery_ids: deliveries }, () => `Sent to ${deliveries.length} recipients.`)
  },
})

function need(flag: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`Give --${flag}.`)
  return value
}

function toNumber<Text extends string | undefined>(flag: string, given: Text) {
  if (given === undefined) return undefined as Text extends string ? number : undefined
  const number = Number(given)
  if (!Number.isFinite(number)) throw new UsageError(`--${flag} must be a number.`)
  return number as Text extends string ? number : undefined
}

async function findProject(client: Client, given: string): Promise<string> {
  for await (const { id, name } of client.listProjects()) if (id === given || name === given) return id
  throw new UsageError(`There is no project "${given}".`)
}

/** Ids of channels by name or id. */
export async function findChannels(client: Client, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const { channels } = await client.listNotificationChannels()
  return names.map((name) => {
    const found = channels.find((one) => one.name === name || one.id === name)
    if (found === undefined) throw new UsageError(`There is no notification channel "${name}".`)
    return found.id
  })
}

async function findAlert(client: Client, given: string): Promise<Alert> {
  for await (const alert of client.listAlerts()) if (alert.id === given || alert.name === given) return alert
  throw new UsageError(`There is no alert "${given}".`)
}

function formatAlerts(alerts: readonly Alert[]): string {
  return formatTable(alerts, [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
    ['STATE', ({ state }) => state],
    ['SINCE', ({ state_since }) => state_since ?? undefined],
    ['METRIC', ({ definition }) => definition.metric],
    ['VALUE', ({ last }) => (last?.value == null ? undefined : String(Number(last.value.toPrecision(4))))],
    ['RUNS', ({ last }) => (last === null ? undefined : String(last.count))],
    ['PROBLEM', ({ broken_reason, notice }) => broken_reason ?? notice ?? undefined],
  ])
}
