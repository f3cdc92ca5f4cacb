import { ApiError, type ChannelConfig } from '@touchstone/contract'
import type { ChannelRow } from '../../storage/relational/tables/notifications.ts'
import { type SecretBox, SecretBoxError } from '../../storage/secret-box.ts'
import type { OpenedConfig } from './kinds/index.ts'

type Owner = Pick<ChannelRow, 'id' | 'tenant_id'>

/** A ciphertext belongs to one channel of one workspace: a copy elsewhere cannot be read. */
const toOwner = ({ tenant_id, id }: Owner) => `notification channel ${tenant_id} ${id}`

/** The columns of a configuration. @throws ApiError INVALID_REQUEST when the server has no secret key */
export function sealConfig(box: SecretBox, owner: Owner, opened: OpenedConfig) {
  try {
    const { sealed, keyId } = box.seal(toOwner(owner), JSON.stringify(opened))
    return { sealed_config: sealed, key_id: keyId }
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw new ApiError('INVALID_REQUEST', error.message, { cause: error })
  }
}

/** @throws SecretBoxError when the server does not have the secret key, or the row was changed */
export function openConfig(box: SecretBox, row: ChannelRow): OpenedConfig {
  return JSON.parse(box.open(toOwner(row), { keyId: row.key_id, sealed: row.sealed_config })) as OpenedConfig
}

/** Undefined when it cannot be read. */
export function findConfig(box: SecretBox, row: ChannelRow): OpenedConfig | undefined {
  try {
    return openConfig(box, row)
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined
    throw error
  }
}

const HIDDEN = '********'
/** A shorter text is no secret, and occurs in answers by chance. */
const MIN_SECRET = 6

/** The text without the secrets of a channel, which some receivers repeat in their answer. */
export function hideSecrets(text: string, { config, signingSecret }: OpenedConfig): string {
  const secrets = [signingSecret, ...toSecrets(config)].filter(
    (secret) => secret !== null && secret.length >= MIN_SECRET,
  )
  return secrets.reduce<string>((hidden, secret) => hidden.replaceAll(secret as string, HIDDEN), text)
}

function toSecrets(config: ChannelConfig): readonly string[] {
  switch (config.kind) {
    case 'webhook':
      return Object.values(config.headers ?? {})
    case 'slack':
    case 'teams':
      return [config.url, new URL(config.url).pathname + new URL(config.url).search]
    case 'slack_bot':
      return [config.token]
    case 'pagerduty':
      return [config.routing_key]
    case 'email':
      return []
  }
}
