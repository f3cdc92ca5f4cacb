import {
  ApiError,
  type ChannelConfig,
  type ChannelConfigChange,
  HIDDEN_HEADER,
  type NotificationKind,
  type ShownChannelConfig,
} from '@touchstone/contract'
import { assertUrlAllowed } from '../../http/assert-url-allowed.ts'
import type { Outbound } from '../../outbound/open-outbound.ts'
import { fillMaskedHeaders, hasSameTarget, newSigningSecret } from '../../outbound/signed-webhook.ts'
import type { OpenedConfig } from './kinds/index.ts'

export interface ChangedConfig {
  readonly opened: OpenedConfig
  /** A signing secret that the caller has not seen. */
  readonly newSecret: string | null
  readonly clearedHeaders: readonly string[]
}

/** The configuration of a new channel. */
export function toOpenedConfig(config: ChannelConfig): ChangedConfig {
  if (config.kind !== 'webhook') return { opened: { config, signingSecret: null }, newSecret: null, clearedHeaders: [] }
  const newSecret = newSigningSecret()
  const headers = fillMaskedHeaders(config.headers ?? {}, {})
  return { opened: { config: { ...config, headers }, signingSecret: newSecret }, newSecret, clearedHeaders: [] }
}

/**
 * The configuration after a change. What was entered for one receiver is not sent to another one.
 *
 * @throws ApiError INVALID_REQUEST for another kind, or an endpoint without its token
 */
export function changeConfig(before: OpenedConfig, change: ChannelConfigChange): ChangedConfig {
  const { config, signingSecret } = before
  if (change.kind === 'webhook' && config.kind === 'webhook') {
    const url = change.url ?? config.url
    const isMoved = !hasSameTarget(url, config.url)
    const stored = config.headers ?? {}
    const kept = isMoved ? {} : stored
    const headers = change.headers === undefined ? kept : fillMaskedHeaders(change.headers ?? {}, kept)
    const newSecret = isMoved ? newSigningSecret() : null
    const body = change.body === undefined ? config.body : change.body
    return {
      opened: { config: { kind: 'webhook', url, headers, body }, signingSecret: newSecret ?? signingSecret },
      newSecret,
      clearedHeaders: isMoved ? Object.keys(stored).filter((name) => !Object.hasOwn(headers, name)) : [],
    }
  }
  const unsigned = (changed: ChannelConfig): ChangedConfig => ({
    opened: { config: changed, signingSecret: null },
    newSecret: null,
    clearedHeaders: [],
  })
  if (change.kind === 'slack_bot' && config.kind === 'slack_bot') {
    assertTokenGiven(config, change, change.token, 'token')
    return unsigned({ ...config, ...withoutUndefined(change) })
  }
  if (change.kind === 'pagerduty' && config.kind === 'pagerduty') {
    assertTokenGiven(config, change, change.routing_key, 'routing_key')
    return unsigned({ ...config, ...withoutUndefined(change) })
  }
  if (change.kind === 'slack' && config.kind === 'slack') return unsigned({ ...config, ...withoutUndefined(change) })
  if (change.kind === 'teams' && config.kind === 'teams') return unsigned({ ...config, ...withoutUndefined(change) })
  if (change.kind === 'email' && config.kind === 'email') return unsigned({ ...config, ...withoutUndefined(change) })
  throw new ApiError(
    'INVALID_REQUEST',
    `This channel is of the kind ${config.kind}, which does not change. Create another one.`,
  )
}

/** Without the members that are undefined, which would replace what is stored. */
function withoutUndefined<Change extends object>(change: Change) {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Change]: Exclude<Change[Name], undefined>
  }
}

type WithEndpoint = { readonly endpoint?: string | null | undefined }

function assertTokenGiven(before: WithEndpoint, change: WithEndpoint, token: string | undefined, name: string): void {
  const isMoved = change.endpoint !== undefined && (change.endpoint ?? null) !== (before.endpoint ?? null)
  if (!isMoved || token !== undefined) return
  throw new ApiError('INVALID_REQUEST', `Give the ${name} again: it was entered for another endpoint.`)
}

/** @throws ApiError INVALID_REQUEST for a URL that the server may not call */
export function assertTargetsAllowed(deps: { readonly outbound: Outbound }, config: ChannelConfig): void {
  if ('url' in config) assertUrlAllowed(deps, config.url)
  if ('endpoint' in config && config.endpoint != null) assertUrlAllowed(deps, config.endpoint)
}

const PRESENTERS: {
  readonly [Kind in NotificationKind]: (
    config: Extract<ChannelConfig, { kind: Kind }>,
  ) => Extract<ShownChannelConfig, { kind: Kind }>
} = {
  webhook: ({ kind, url, headers, body }) => ({
    kind,
    url,
    headers: Object.fromEntries(Object.keys(headers ?? {}).map((name) => [name, HIDDEN_HEADER])),
    body: body ?? null,
  }),
  slack: ({ kind, url }) => ({ kind, url: maskUrl(url) }),
  slack_bot: ({ kind, channel, endpoint }) => ({ kind, channel, endpoint: endpoint ?? null }),
  teams: ({ kind, url }) => ({ kind, url: maskUrl(url) }),
  pagerduty: ({ kind, endpoint }) => ({ kind, endpoint: endpoint ?? null }),
  email: ({ kind, to }) => ({ kind, to }),
}

/** A configuration without its secrets. */
export function presentConfig(config: ChannelConfig): ShownChannelConfig {
  const present = PRESENTERS[config.kind] as (config: ChannelConfig) => ShownChannelConfig
  return present(config)
}

/** The host and the last four characters, of a URL that is long enough to stay a secret. */
function maskUrl(url: string): string {
  const { origin, pathname, search } = new URL(url)
  const secret = pathname + search
  return `${origin}/…${secret.length >= 16 ? secret.slice(-4) : ''}`
}
