import {
  ApiError,
  MAX_NOTIFICATION_CHANNELS,
  type NotificationChannel,
  type NotificationChannelCreate,
  type NotificationChannelUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import type { Outbound } from '../../outbound/open-outbound.ts'
import { newSigningSecret } from '../../outbound/signed-webhook.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { ChannelRow } from '../../storage/relational/tables/notifications.ts'
import { type SecretBox, SecretBoxError } from '../../storage/secret-box.ts'
import {
  assertTargetsAllowed,
  type ChangedConfig,
  changeConfig,
  presentConfig,
  toOpenedConfig,
} from './change-config.ts'
import { findConfig, openConfig, sealConfig } from './secrets.ts'
import { deleteChannelRow, insertChannel, lockChannels, selectChannel, selectChannels, updateChannel } from './store.ts'

export type ChannelDeps = Pick<Deps, 'relational' | 'clock' | 'ids'> & {
  readonly secrets: SecretBox
  readonly outbound: Outbound
  /** Holds back the deletion of a workspace until a transaction ends. @throws ApiError NOT_FOUND */
  lockWorkspace(tx: Database, tenantId: string): Promise<void>
}

/** All channels of a workspace, by name. */
export async function listChannels(deps: ChannelDeps, tenantId: string): Promise<NotificationChannel[]> {
  const rows = await selectChannels(deps.relational.db, tenantId)
  return rows.map((row) => presentChannel(deps, row))
}

/** @throws ApiError NOT_FOUND */
export async function getChannel(db: Database, tenantId: string, id: string): Promise<ChannelRow> {
  const row = await selectChannel(db, tenantId, id)
  if (row === undefined) throw notFound()
  return row
}

const notFound = () => new ApiError('NOT_FOUND', 'Notification channel not found')

/** @throws ApiError CONFLICT for a name that is taken; INVALID_REQUEST for a URL that the server may not call */
export async function createChannel(
  deps: ChannelDeps,
  caller: Caller,
  { name, config }: NotificationChannelCreate,
): Promise<NotificationChannel> {
  const { tenantId } = caller
  assertTargetsAllowed(deps, config)
  const made = toOpenedConfig(config)
  const id = deps.ids()
  const now = timeOfEpochMs(deps.clock())
  const row: ChannelRow = {
    id,
    tenant_id: tenantId,
    kind: config.kind,
    name,
    ...sealConfig(deps.secrets, { id, tenant_id: tenantId }, made.opened),
    ...ACTIVE,
    last_success_at: null,
    last_failure_at: null,
    last_failure: null,
    created_at: now,
    modified_at: now,
    created_by: caller.actorName ?? null,
  }
  return deps.relational.transaction(async (tx) => {
    await deps.lockWorkspace(tx, tenantId) // a workspace that is being deleted gets no secrets
    await lockChannels(tx, tenantId)
    const others = await selectChannels(tx, tenantId)
    if (others.length >= MAX_NOTIFICATION_CHANNELS) {
      const most = `A workspace has at most ${MAX_NOTIFICATION_CHANNELS} notification channels. Delete one first.`
      throw new ApiError('INVALID_REQUEST', most)
    }
    assertNameFree(others, name)
    await insertChannel(tx, row)
    return presentChannel(deps, row, made)
  })
}

/** @throws ApiError NOT_FOUND, CONFLICT, INVALID_REQUEST */
export async function updateChannelOf(
  deps: ChannelDeps,
  { tenantId, actorName }: Caller,
  id: string,
  { name, is_enabled, config, rotate_secret, expected_modified_at }: NotificationChannelUpdate,
): Promise<NotificationChannel> {
  return deps.relational.transaction(async (tx) => {
    await lockChannels(tx, tenantId)
    const before = await getChannel(tx, tenantId, id)
    if (expected_modified_at !== undefined && expected_modified_at !== before.modified_at) {
      throw new ApiError('CONFLICT', 'The channel was changed since you read it. Read it again.')
    }
    if (name !== undefined) {
      const others = (await selectChannels(tx, tenantId)).filter((other) => other.id !== id)
      assertNameFree(others, name)
    }
    const changed = changeSecrets(deps, before, { config, rotate_secret })
    const row = await updateChannel(tx, tenantId, id, {
      ...(name !== undefined && { name }),
      ...(changed !== undefined && { ...sealConfig(deps.secrets, before, changed.opened), failing_since: null }),
      ...(is_enabled === true && ACTIVE),
      ...(is_enabled === false && { state: 'disabled', state_reason: `Turned off by ${actorName ?? 'a user'}.` }),
      modified_at: timeOfEpochMs(deps.clock()),
    })
    if (row === undefined) throw notFound()
    return presentChannel(deps, row, changed)
  })
}

const ACTIVE = { state: 'active', state_reason: null, failing_since: null } as const

/** Undefined when the change does not touch the configuration. */
function changeSecrets(
  deps: ChannelDeps,
  row: ChannelRow,
  { config, rotate_secret }: Pick<NotificationChannelUpdate, 'config' | 'rotate_secret'>,
): ChangedConfig | undefined {
  if (config === undefined && rotate_secret !== true) return undefined
  if (rotate_secret === true && row.kind !== 'webhook') {
    throw new ApiError('INVALID_REQUEST', 'Only webhooks have a signing secret.')
  }
  const before = openForChange(deps, row)
  const changed = config && changeConfig(before, config)
  if (changed !== undefined) assertTargetsAllowed(deps, changed.opened.config)
  const { opened = before, newSecret = null, clearedHeaders = [] } = changed ?? {}
  if (rotate_secret !== true || newSecret !== null) return { opened, newSecret, clearedHeaders }
  const signingSecret = newSigningSecret()
  return { opened: { ...opened, signingSecret }, newSecret: signingSecret, clearedHeaders }
}

function openForChange(deps: ChannelDeps, row: ChannelRow) {
  try {
    return openConfig(deps.secrets, row)
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw new ApiError('CONFLICT', `${error.message} Delete the channel and create it again.`, { cause: error })
  }
}

/** @throws ApiError NOT_FOUND */
export async function removeChannel(deps: ChannelDeps, tenantId: string, id: string): Promise<void> {
  const isGone = await deps.relational.transaction((tx) => deleteChannelRow(tx, tenantId, id))
  if (!isGone) throw notFound()
}

function assertNameFree(others: readonly ChannelRow[], name: string): void {
  if (others.some((other) => other.name === name)) {
    throw new ApiError('CONFLICT', `There is already a notification channel named "${name}".`)
  }
}

/** @param changed  what the caller may see once, right after a change */
export function presentChannel(
  { secrets }: Pick<ChannelDeps, 'secrets'>,
  row: ChannelRow,
  changed?: ChangedConfig,
): NotificationChannel {
  const { sealed_config: _sealed, key_id: _key, ...shown } = row
  const opened = changed?.opened ?? findConfig(secrets, row)
  return {
    ...shown,
    config: opened === undefined ? null : presentConfig(opened.config),
    signing_secret: changed?.newSecret ?? null,
    cleared_headers: [...(changed?.clearedHeaders ?? [])],
  }
}
