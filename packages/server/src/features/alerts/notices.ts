import {
  type AlertDefinition,
  type AlertPoint,
  type PlatformAlertRule,
  statisticOf,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { AlertRow } from '../../storage/relational/tables/alerts.ts'
import type { Notice } from '../notifications/index.ts'
import type { Notified } from './state/machine.ts'

/** What a notice states besides the state. */
export interface NoticeContext {
  readonly definition: AlertDefinition
  readonly point: AlertPoint | null
  readonly projectNames: readonly string[]
  readonly workspaceName: string
  /** Origin of the UI; without it a notice has no links. */
  readonly publicUrl: string | undefined
  /** The largest groups of the window, with their runs. */
  readonly groups: readonly { readonly label: string; readonly count: number; readonly value: number | null }[]
}

/** Identifies the incident in all its notices; PagerDuty removes repeats by it. */
export const toIncident = (alertId: string, episode: number) => `touchstone:alert:${alertId}:${episode}`

export function toNotice(row: AlertRow, notified: Notified, context: NoticeContext): Notice {
  const { definition, point } = context
  const number = notified.episode?.number ?? null
  const incident = number === null ? `touchstone:alert:${row.id}:broken` : toIncident(row.id, number)
  const links = toLinks(row, notified, context)
  return {
    causeKind: 'alert',
    causeId: row.id,
    key: `alert ${row.id} ${number ?? notified.at} ${notified.episode?.notices ?? notified.state}`,
    incident,
    severity:
      notified.state === 'critical' || notified.state === 'no_data'
        ? 'critical'
        : notified.state === 'ok' || notified.state === 'mended'
          ? 'info'
          : 'warning',
    isResolved: notified.state === 'ok' || notified.state === 'mended',
    title: `${row.name}: ${toHeadline(notified, definition, point, row)}`,
    text: toText(row, notified, context),
    facts: toFacts(notified, context),
    links: [...(links.runs === undefined ? [] : [{ label: 'View runs', url: links.runs }])],
    body: toBody(row, notified, context, links),
    at: timeOfEpochMs(notified.at),
  }
}

function toHeadline(notified: Notified, definition: AlertDefinition, point: AlertPoint | null, row: AlertRow): string {
  switch (notified.state) {
    case 'broken':
      return `cannot be evaluated. ${row.broken_reason ?? ''}`
    case 'mended':
      return 'is evaluated again'
    case 'no_data':
      return `no runs in the last ${printMinutes(definition.window_minutes)}`
    case 'ok':
      return `${printFigure(definition, point?.value ?? null)} is ok`
    default: {
      const level = toPassed(notified.state, point)
      return `${printFigure(definition, point?.value ?? null)} ${SIGNS[definition.operator]} ${printValue(definition, level)}`
    }
  }
}

const SIGNS = { gt: '>', gte: '≥', lt: '<', lte: '≤' } as const

const toPassed = (state: Notified['state'], point: AlertPoint | null) =>
  (state === 'warning' ? point?.warning : (point?.critical ?? point?.warning)) ?? null

function toText(row: AlertRow, notified: Notified, { groups, definition }: NoticeContext): string {
  if (notified.state === 'broken')
    return `${row.broken_reason ?? 'It cannot be evaluated.'} It sends no notices until then.`
  const largest = groups.map(({ label, count, value }) =>
    value === null ? `${label}: ${count} runs` : `${label}: ${printValue(definition, value)} in ${count} runs`,
  )
  return [
    row.description,
    notified.isRepeated ? 'This notice repeats, because the episode lasts and no user acknowledged it.' : '',
    largest.length > 0 ? `Largest groups: ${largest.join('; ')}.` : '',
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function toFacts(notified: Notified, { definition, point, projectNames }: NoticeContext): Notice['facts'] {
  const { episode } = notified
  const facts: { label: string; value: string }[] = []
  const add = (label: string, value: string | null) => {
    if (value !== null && value !== '') facts.push({ label, value })
  }
  if (point !== null) {
    add('Value', printValue(definition, point.value))
    const level = toPassed(notified.state, point)
    add('Threshold', level === null ? null : `${SIGNS[definition.operator]} ${printValue(definition, level)}`)
    add('Usual', point.usual === null ? null : printValue(definition, point.usual))
    add('Group', point.group)
    add('Runs', String(point.count))
  }
  add('Window', printMinutes(definition.window_minutes))
  add('Project', projectNames.join(', '))
  if (episode !== null) {
    add('Episode', `${episode.number}, since ${timeOfEpochMs(episode.startedAt).slice(0, 19)}Z`)
    add('Peak', episode.peak === null ? null : printValue(definition, episode.peak.value))
  }
  return facts
}

interface Links {
  readonly runs: string | undefined
}

function toLinks(row: AlertRow, { at }: Notified, { definition, publicUrl }: NoticeContext): Links {
  if (publicUrl === undefined) return { runs: undefined }
  const base = `${publicUrl}/o/${row.tenant_id}`
  const [project] = definition.project_ids
  const from = timeOfEpochMs(at - definition.window_minutes * 60_000)
  const query = new URLSearchParams({
    ...(definition.filter && { filter: definition.filter }),
    ...(definition.trace_filter && { traceFilter: definition.trace_filter }),
    ...(definition.tree_filter && { treeFilter: definition.tree_filter }),
    scope: definition.scope,
    t: `${from}..${timeOfEpochMs(at)}`,
  })
  return {
    runs: project === undefined ? undefined : `${base}/projects/p/${project}?${query}`,
  }
}

/** The names of LangSmith's deliveries, which are not those of its API. */
const ATTRIBUTES: Readonly<Record<PlatformAlertRule['attribute'], string>> = {
  latency: 'latency',
  run_latency: 'latency',
  error_count: 'error_count',
  run_count: 'run_count',
  feedback_score: 'feedback_score',
  total_cost: 'cost',
}

/** The members that LangSmith adds to the body of a webhook, and ours. */
function toBody(row: AlertRow, notified: Notified, context: NoticeContext, links: Links): Record<string, unknown> {
  const { definition, point, projectNames, workspaceName } = context
  const rule = row.platform === null ? undefined : (JSON.parse(row.platform) as { rule: PlatformAlertRule }).rule
  return {
    project_name: projectNames.join(', '),
    workspace_name: workspaceName,
    alert_rule_id: row.id,
    alert_rule_name: row.name,
    alert_rule_description: row.description,
    alert_rule_type: definition.kind,
    alert_rule_attribute: rule === undefined ? definition.metric : ATTRIBUTES[rule.attribute],
    // Alerts have no page yet; the runs are what there is to see.
    alert_rule_url: links.runs ?? '',
    runs_url: links.runs ?? '',
    triggered_metric_value: point?.value ?? null,
    triggered_threshold: toPassed(notified.state, point),
    timestamp: timeOfEpochMs(notified.at),
    state: notified.state,
    previous_state: notified.previous,
    episode: notified.episode?.number ?? null,
    started_at: notified.episode === null ? null : timeOfEpochMs(notified.episode.startedAt),
  }
}

const NAMES: Readonly<Record<AlertDefinition['metric'], string>> = {
  runs: 'Runs',
  error_rate: 'Error rate',
  errors: 'Errors',
  latency: 'Latency',
  first_token: 'Time to first token',
  tokens: 'Tokens',
  cost: 'Cost',
  feedback: 'Feedback',
  threads: 'Threads',
  users: 'Users',
}

function printFigure(definition: AlertDefinition, value: number | null): string {
  const statistic = statisticOf(definition)
  const name = definition.metric === 'feedback' ? `${definition.feedback_key}` : NAMES[definition.metric]
  const isPlain = statistic === 'count' || statistic === 'share' || statistic === 'sum'
  return `${name}${isPlain ? '' : ` (${statistic})`} ${printValue(definition, value)}`
}

/** A value with its unit. */
export function printValue(definition: AlertDefinition, value: number | null): string {
  if (value === null) return '–'
  const short = (number: number) => String(Number(number.toPrecision(4)))
  if (statisticOf(definition) === 'share') return `${short(value * 100)} %`
  switch (definition.metric) {
    case 'latency':
    case 'first_token':
      return `${short(value)} s`
    case 'cost':
      return `$${short(value)}`
    default:
      return short(value)
  }
}

function printMinutes(minutes: number): string {
  if (minutes % 1_440 === 0) return minutes === 1_440 ? '1 day' : `${minutes / 1_440} days`
  if (minutes % 60 === 0) return minutes === 60 ? '1 hour' : `${minutes / 60} hours`
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** A notice that shows recipients where this alert arrives. */
export function toTestNotice(row: AlertRow, context: NoticeContext, key: string, nowMs: number): Notice {
  const notified: Notified = { at: nowMs, state: 'critical', previous: 'ok', episode: null, isRepeated: false }
  const notice = toNotice(row, notified, context)
  return {
    ...notice,
    causeKind: 'test',
    key: `test ${key}`,
    incident: `touchstone:test:${key}`,
    severity: 'info',
    title: `Test of the alert ${row.name}`,
    text: 'A user asked for a test of this alert. Nothing has to be done.',
    at: timeOfEpochMs(nowMs),
  }
}
