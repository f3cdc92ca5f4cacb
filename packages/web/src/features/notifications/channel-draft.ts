import type {
  NotificationChannel,
  NotificationChannelChange,
  NotificationChannelWrite,
  NotificationKind,
} from '@touchstone/sdk'
import { printHeaderLines, readHeaderLines } from '#lib/header-lines.ts'

/** The fields of a channel as they are typed. Of each kind some are used. */
export interface ChannelDraft {
  name: string
  kind: NotificationKind
  url: string
  /** One per line; the values of stored ones are hidden. */
  headerText: string
  /** A JSON object, or nothing. */
  body: string
  token: string
  channel: string
  routingKey: string
  endpoint: string
  /** Addresses, separated by commas, blanks or lines. */
  recipients: string
}

export const NEW_CHANNEL: ChannelDraft = {
  name: '',
  kind: 'slack',
  url: '',
  headerText: '',
  body: '',
  token: '',
  channel: '',
  routingKey: '',
  endpoint: '',
  recipients: '',
}

/** What is known of a stored channel: its secrets stay empty, which means unchanged. */
export function toDraft({ name, kind, config }: NotificationChannel): ChannelDraft {
  const draft = { ...NEW_CHANNEL, name, kind }
  switch (config?.kind) {
    case 'webhook':
      return { ...draft, url: config.url, headerText: printHeaderLines(config.headers), body: config.body ?? '' }
    case 'slack_bot':
      return { ...draft, channel: config.channel, endpoint: config.endpoint ?? '' }
    case 'pagerduty':
      return { ...draft, endpoint: config.endpoint ?? '' }
    case 'email':
      return { ...draft, recipients: config.to.join('\n') }
    default:
      return draft
  }
}

export type FieldProblems = Partial<Record<keyof ChannelDraft, string>>

/**
 * What is missing or wrong, by field.
 *
 * @param isStored  whether empty secrets mean unchanged
 */
export function findProblems(draft: ChannelDraft, isStored: boolean): FieldProblems {
  const problems: FieldProblems = {}
  if (draft.name.trim() === '') problems.name = 'Enter a name.'
  const usesUrl = draft.kind === 'webhook' || draft.kind === 'slack' || draft.kind === 'teams'
  const keepsUrl = isStored && draft.kind !== 'webhook' && draft.url === ''
  if (usesUrl && !keepsUrl && !isUrl(draft.url)) problems.url = 'Enter an address that begins with https:// or http://.'
  if (draft.kind === 'webhook') {
    const headers = readHeaderLines(draft.headerText)
    if ('problem' in headers) problems.headerText = headers.problem
    if (draft.body.trim() !== '' && !isObject(draft.body)) problems.body = 'Enter a JSON object.'
  }
  if (draft.kind === 'slack_bot') {
    if (draft.channel.trim() === '') problems.channel = 'Enter a channel.'
    if (!isStored && draft.token === '') problems.token = 'Enter a token.'
  }
  if (draft.kind === 'pagerduty' && !isStored && draft.routingKey === '') problems.routingKey = 'Enter a key.'
  if (usesEndpoint(draft.kind) && draft.endpoint.trim() !== '' && !isUrl(draft.endpoint)) {
    problems.endpoint = 'Enter an address that begins with https:// or http://.'
  }
  if (draft.kind === 'email' && readRecipients(draft.recipients).length === 0) {
    problems.recipients = 'Enter an address.'
  }
  return problems
}

export const usesEndpoint = (kind: NotificationKind) => kind === 'slack_bot' || kind === 'pagerduty'

const isUrl = (text: string) => /^https?:\/\/[^/\s]+/.test(text.trim())

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const readRecipients = (text: string) => text.split(/[\s,;]+/).filter((address) => address !== '')

const readHeaders = (text: string) => {
  const headers = readHeaderLines(text)
  return 'values' in headers ? { ...headers.values } : {}
}

/** The request for a new channel. */
export function toWrite(draft: ChannelDraft): NotificationChannelWrite {
  return { name: draft.name.trim(), config: toConfig(draft) }
}

function toConfig(draft: ChannelDraft): NotificationChannelWrite['config'] {
  const { kind } = draft
  const url = draft.url.trim()
  const endpoint = draft.endpoint.trim() || null
  switch (kind) {
    case 'webhook':
      return { kind, url, headers: readHeaders(draft.headerText), body: draft.body.trim() || null }
    case 'slack':
    case 'teams':
      return { kind, url }
    case 'slack_bot':
      return { kind, token: draft.token.trim(), channel: draft.channel.trim(), endpoint }
    case 'pagerduty':
      return { kind, routing_key: draft.routingKey.trim(), endpoint }
    case 'email':
      return { kind, to: readRecipients(draft.recipients) }
  }
}

/** The request for a change: what was edited, and secrets that were typed. */
export function toChange(draft: ChannelDraft, stored: NotificationChannel): NotificationChannelChange {
  const config = toConfig(draft)
  const before = toConfig(toDraft(stored))
  const isSame = JSON.stringify(config) === JSON.stringify(before)
  const typed = Object.entries(config).filter(([, value]) => value !== '')
  return {
    ...(draft.name.trim() !== stored.name && { name: draft.name.trim() }),
    ...(!isSame && { config: Object.fromEntries(typed) as NonNullable<NotificationChannelChange['config']> }),
    expected_modified_at: stored.modified_at,
  }
}
