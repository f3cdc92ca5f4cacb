import type { SecretKeyStatus } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { ModelProviderRow } from '../../storage/relational/tables/model-providers.ts'
import { type SecretBox, SecretBoxError } from '../../storage/secret-box.ts'
import { forgetProviders } from './cached-providers.ts'
import { lockProviders, selectProvider, selectSealedProviders, updateProvider } from './store.ts'

/** The secrets of one provider. */
export interface ProviderSecrets {
  readonly key: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

export const NO_SECRETS: ProviderSecrets = { key: undefined, headers: {} }

type Owner = Pick<ModelProviderRow, 'id' | 'tenant_id'>
/** A ciphertext belongs to one field of one provider of one workspace: a copy elsewhere cannot be read. */
const toOwner = ({ tenant_id, id }: Owner, field: 'key' | 'headers') => `model provider ${tenant_id} ${id} ${field}`

/** A shorter key would be shown for the most part. */
const MIN_LENGTH_OF_HINT = 16

/** The columns of the secrets. @throws SecretBoxError when the server has no secret key */
export function sealSecrets(box: SecretBox, owner: Owner, { key, headers }: ProviderSecrets) {
  const hasHeaders = Object.keys(headers).length > 0
  const sealedKey = key === undefined ? undefined : box.seal(toOwner(owner, 'key'), key)
  const sealedHeaders = hasHeaders ? box.seal(toOwner(owner, 'headers'), JSON.stringify(headers)) : undefined
  return {
    sealed_key: sealedKey?.sealed ?? null,
    key_last_four: key !== undefined && key.length >= MIN_LENGTH_OF_HINT ? key.slice(-4) : null,
    sealed_headers: sealedHeaders?.sealed ?? null,
    key_id: sealedKey?.keyId ?? sealedHeaders?.keyId ?? null,
  }
}

/** @throws SecretBoxError when the server does not have their secret key, or a row was changed */
export function openSecrets(box: SecretBox, row: ModelProviderRow): ProviderSecrets {
  const { key_id: keyId, sealed_key, sealed_headers } = row
  if (keyId === null) return NO_SECRETS
  const open = (field: 'key' | 'headers', sealed: string) => box.open(toOwner(row, field), { keyId, sealed })
  return {
    key: sealed_key === null ? undefined : open('key', sealed_key),
    headers: sealed_headers === null ? {} : (JSON.parse(open('headers', sealed_headers)) as Record<string, string>),
  }
}

/** Undefined when they cannot be read. */
export function findSecrets(box: SecretBox, row: ModelProviderRow): ProviderSecrets | undefined {
  try {
    return openSecrets(box, row)
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined
    throw error
  }
}

/** Other texts that secret keys of the server encrypt: those of a feature above this one. */
export interface SealedTexts {
  count(): Promise<SecretKeyStatus['channels']>
  /** Encrypts them with the first secret key; unreadable ones stay as they are. */
  rotate(): Promise<void>
}

export type SecretDeps = Pick<Deps, 'relational' | 'caches'> & {
  readonly secrets: SecretBox
  readonly sealedChannels: SealedTexts
}

/** Counts the providers and channels of all workspaces by the secret key that encrypts them. */
export async function readSecretKeyStatus({
  relational,
  secrets,
  sealedChannels,
}: SecretDeps): Promise<SecretKeyStatus> {
  const { source, currentKeyId } = secrets.status()
  const rows = await selectSealedProviders(relational.db)
  const count = (is: (row: ModelProviderRow) => boolean) => rows.filter(is).length
  const isReadable = (row: ModelProviderRow) => findSecrets(secrets, row) !== undefined
  return {
    source,
    current_key_id: currentKeyId,
    providers: {
      current: count((row) => row.key_id === currentKeyId && isReadable(row)),
      older: count((row) => row.key_id !== currentKeyId && isReadable(row)),
      unreadable: count((row) => !isReadable(row)),
    },
    channels: await sealedChannels.count(),
  }
}

/** Encrypts all secrets with the first secret key; unreadable ones stay as they are. */
export async function rotateSecretKeys(deps: SecretDeps): Promise<SecretKeyStatus> {
  const { relational, secrets } = deps
  const { currentKeyId } = secrets.status()
  const older = (await selectSealedProviders(relational.db)).filter(({ key_id }) => key_id !== currentKeyId)
  for (const { tenant_id, id } of older) {
    await relational.transaction(async (tx) => {
      await lockProviders(tx, tenant_id)
      const row = await selectProvider(tx, tenant_id, id)
      const found = row === undefined ? undefined : findSecrets(secrets, row)
      if (row === undefined || found === undefined || row.key_id === currentKeyId) return
      await updateProvider(tx, tenant_id, id, sealSecrets(secrets, row, found))
    })
  }
  await deps.sealedChannels.rotate()
  forgetProviders(deps)
  return readSecretKeyStatus(deps)
}
