import {
  ApiError,
  DEFAULT_KEY_HEADERS,
  HIDDEN_HEADER,
  MAX_MODEL_PROVIDERS,
  type ModelProvider,
  type ModelProviderCreate,
  type ModelProviderUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { ModelConnection } from '../../models/index.ts'
import { OutboundError } from '../../outbound/allowed-targets.ts'
import type { Outbound } from '../../outbound/open-outbound.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { ModelProviderRow } from '../../storage/relational/tables/model-providers.ts'
import { type SecretBox, SecretBoxError } from '../../storage/secret-box.ts'
import { forgetProviders, selectCachedProvider } from './cached-providers.ts'
import { findSecrets, NO_SECRETS, openSecrets, type ProviderSecrets, sealSecrets } from './secrets.ts'
import {
  deleteProvider,
  insertProvider,
  lockProviders,
  selectProvider,
  selectProviders,
  updateProvider,
} from './store.ts'

export type ProviderDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'> & {
  readonly secrets: SecretBox
  /** Calls providers only. */
  readonly modelOutbound: Outbound
}

export async function listProviders(deps: ProviderDeps, tenantId: string): Promise<ModelProvider[]> {
  const rows = await selectProviders(deps.relational.db, tenantId)
  return rows.map((row) => presentProvider(deps, row))
}

/** @throws ApiError NOT_FOUND */
export async function readProvider(deps: ProviderDeps, tenantId: string, id: string): Promise<ModelProvider> {
  return presentProvider(deps, await getProvider(deps.relational.db, tenantId, id))
}

/** @throws ApiError NOT_FOUND */
export async function getProvider(db: Database, tenantId: string, id: string): Promise<ModelProviderRow> {
  const row = await selectProvider(db, tenantId, id)
  if (row === undefined) throw notFound()
  return row
}

const notFound = () => new ApiError('NOT_FOUND', 'Model provider not found')

/** Holds back the deletion of a workspace until a transaction ends. @throws ApiError NOT_FOUND */
export interface WorkspaceLock {
  lockWorkspace(tx: Database, tenantId: string): Promise<void>
}

/**
 * @throws ApiError CONFLICT for a name that is taken, NOT_FOUND for a deleted workspace, INVALID_REQUEST for a URL that the
 *   server may not call
 */
export async function createProvider(
  deps: ProviderDeps & WorkspaceLock,
  tenantId: string,
  body: ModelProviderCreate,
): Promise<ModelProvider> {
  assertMayCall(deps, body.base_url)
  const secrets = { key: body.key ?? undefined, headers: fillHidden(body.headers ?? {}, {}) }
  return deps.relational.transaction(async (tx) => {
    await deps.lockWorkspace(tx, tenantId) // a workspace that is being deleted gets no key
    await lockProviders(tx, tenantId)
    const others = await selectProviders(tx, tenantId)
    if (others.length >= MAX_MODEL_PROVIDERS) {
      throw new ApiError('INVALID_REQUEST', `A workspace has at most ${MAX_MODEL_PROVIDERS} model providers.`)
    }
    assertNameFree(others, body.name)
    const id = deps.ids()
    const now = timeOfEpochMs(deps.clock())
    const row: ModelProviderRow = {
      id,
      tenant_id: tenantId,
      name: body.name,
      kind: body.kind,
      base_url: body.base_url,
      key_header: body.key_header ?? DEFAULT_KEY_HEADERS[body.kind],
      provider: body.provider ?? null,
      models: [...new Set(body.models ?? [])],
      ...seal(deps, { id, tenant_id: tenantId }, secrets),
      created_at: now,
      updated_at: now,
    }
    await insertProvider(tx, row)
    return presentProvider(deps, row)
  })
}

/**
 * Changes a provider. What was entered for one target is not sent to another one: see `keepSecrets`.
 *
 * @throws ApiError NOT_FOUND, CONFLICT, INVALID_REQUEST
 */
export async function changeProvider(
  deps: ProviderDeps,
  tenantId: string,
  id: string,
  body: ModelProviderUpdate,
): Promise<ModelProvider> {
  if (body.base_url !== undefined) assertMayCall(deps, body.base_url)
  const changed = await deps.relational.transaction(async (tx) => {
    await lockProviders(tx, tenantId)
    const before = await getProvider(tx, tenantId, id)
    assertExpectedProvider(body.expected, presentProvider(deps, before))
    if (body.name !== undefined) {
      const others = (await selectProviders(tx, tenantId)).filter((other) => other.id !== id)
      assertNameFree(others, body.name)
    }
    const { name, base_url, key_header: keyHeader, provider, models } = body
    const kind = body.kind ?? before.kind
    const isOtherKind = kind !== before.kind
    // Unreadable secrets are of no more use; a change that gives none keeps them, so that a lost secret key can return.
    const stored = findSecrets(deps.secrets, before)
    const touchesSecrets = isMoved(before, body) || body.key !== undefined || hasEntries(body.headers)
    const kept = keepSecrets(before, stored ?? NO_SECRETS, body)
    const row = await updateProvider(tx, tenantId, id, {
      kind,
      ...(name !== undefined && { name }),
      ...(base_url !== undefined && { base_url }),
      ...(keyHeader !== undefined || isOtherKind ? { key_header: keyHeader ?? DEFAULT_KEY_HEADERS[kind] } : {}),
      ...(provider !== undefined && { provider }),
      ...(models !== undefined && { models: [...new Set(models ?? [])] }),
      ...((stored !== undefined || touchesSecrets) && seal(deps, before, kept)),
      updated_at: timeOfEpochMs(deps.clock()),
    })
    if (row === undefined) throw notFound()
    return {
      ...presentProvider(deps, row),
      key_cleared: before.sealed_key !== null && row.sealed_key === null && body.key !== null,
      cleared_headers: Object.keys(stored?.headers ?? {}).filter((name) => !Object.hasOwn(kept.headers, name)),
    }
  })
  forgetProviders(deps)
  return changed
}

/** The values of headers stay hidden: only their names are compared. */
function assertExpectedProvider(expected: ModelProviderUpdate['expected'], current: ModelProvider): void {
  const namesOf = (headers: ModelProvider['headers']) => Object.keys(headers).sort()
  const headers = expected?.headers && namesOf(expected.headers)
  assertExpected('The model provider', { ...expected, headers }, { ...current, headers: namesOf(current.headers) })
}

/** @throws ApiError NOT_FOUND */
export async function removeProvider(deps: ProviderDeps, tenantId: string, id: string): Promise<void> {
  const isGone = await deleteProvider(deps.relational.db, tenantId, id)
  forgetProviders(deps)
  if (!isGone) throw notFound()
}

/** The parts of a request that decide where secrets are sent to. */
type Target = Pick<ModelProviderUpdate, 'kind' | 'base_url' | 'headers' | 'key'>

/**
 * The secrets after a change. Another base URL or kind keeps neither the key nor hidden headers. Another header removes the
 * key only: a gateway may forward calls to the target of a header.
 */
export function keepSecrets(
  before: Pick<ModelProviderRow, 'kind' | 'base_url'>,
  stored: ProviderSecrets,
  change: Target,
): ProviderSecrets {
  const isElsewhere = isMoved(before, change)
  const keptHeaders = isElsewhere ? {} : stored.headers
  const headers = change.headers === undefined ? keptHeaders : fillHidden(change.headers ?? {}, keptHeaders)
  const isSame = !isElsewhere && hasSameEntries(headers, stored.headers)
  const key = change.key === undefined ? (isSame ? stored.key : undefined) : (change.key ?? undefined)
  return { key, headers }
}

/** Whether calls go to another place after a change. */
function isMoved(before: Pick<ModelProviderRow, 'kind' | 'base_url'>, { base_url, kind }: Target): boolean {
  return (base_url !== undefined && base_url !== before.base_url) || (kind !== undefined && kind !== before.kind)
}

const hasEntries = (headers: Target['headers']) => Object.keys(headers ?? {}).length > 0

function hasSameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
}

/** Hidden values are replaced by the stored ones; those without one are left out. */
function fillHidden(headers: Readonly<Record<string, string>>, stored: Readonly<Record<string, string>>) {
  const filled = Object.entries(headers).flatMap(([name, value]) => {
    const found = value === HIDDEN_HEADER ? (Object.hasOwn(stored, name) ? stored[name] : undefined) : value
    return found === undefined ? [] : [[name, found] as const]
  })
  return Object.fromEntries(filled)
}

function assertNameFree(others: readonly ModelProviderRow[], name: string): void {
  if (others.some((other) => other.name === name)) {
    throw new ApiError('CONFLICT', `A model provider with the name "${name}" exists already.`)
  }
}

/** Checks the URL itself; its name is resolved when it is called. @throws ApiError INVALID_REQUEST */
export function assertMayCall({ modelOutbound }: Pick<ProviderDeps, 'modelOutbound'>, url: string): void {
  try {
    modelOutbound.check(url)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new ApiError('INVALID_REQUEST', error.message, { cause: error })
  }
}

/** @throws ApiError INVALID_REQUEST when the operator has to set a secret key first */
function seal({ secrets }: ProviderDeps, owner: Pick<ModelProviderRow, 'id' | 'tenant_id'>, given: ProviderSecrets) {
  try {
    return sealSecrets(secrets, owner, given)
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw new ApiError('INVALID_REQUEST', error.message, { cause: error })
  }
}

/**
 * A provider with its secrets, for calls.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST when its key cannot be decrypted
 */
export async function getModelConnection(
  deps: Pick<ProviderDeps, 'relational' | 'caches' | 'secrets'>,
  tenantId: string,
  id: string,
): Promise<ModelConnection> {
  return (await readProviderAccess(deps, tenantId, id)).connection
}

/** What a recorded call of a model needs to know of its provider. */
export interface ProviderAccess {
  readonly connection: ModelConnection
  /** What runs and prices call the provider. */
  readonly provider: string | null
}

/**
 * A provider with its secrets, for calls that are recorded.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST when its key cannot be decrypted
 */
export async function readProviderAccess(
  deps: Pick<ProviderDeps, 'relational' | 'caches' | 'secrets'>,
  tenantId: string,
  id: string,
): Promise<ProviderAccess> {
  const { secrets } = deps
  const row = await selectCachedProvider(deps, tenantId, id)
  if (row === undefined) throw notFound()
  try {
    return { connection: toConnection(row, openSecrets(secrets, row)), provider: row.provider }
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw new ApiError('INVALID_REQUEST', unreadable(row, error), { cause: error })
  }
}

export function unreadable({ name }: Pick<ModelProviderRow, 'name'>, { message }: SecretBoxError): string {
  return `The key of "${name}" cannot be read. ${message} Enter the key of the provider again.`
}

export function toConnection(
  row: Pick<ModelProviderRow, 'kind' | 'base_url' | 'key_header'>,
  { key, headers }: ProviderSecrets,
): ModelConnection {
  return { kind: row.kind, baseUrl: row.base_url, keyHeader: row.key_header, key, headers }
}

function presentProvider({ secrets }: Pick<ProviderDeps, 'secrets'>, row: ModelProviderRow): ModelProvider {
  const found = findSecrets(secrets, row)
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    kind: row.kind,
    base_url: row.base_url,
    key_header: row.key_header,
    headers: Object.fromEntries(Object.keys(found?.headers ?? {}).map((name) => [name, HIDDEN_HEADER])),
    provider: row.provider,
    models: row.models,
    key_set: row.sealed_key !== null,
    key_last_four: row.key_last_four,
    key_id: row.key_id,
    key_readable: found !== undefined,
    created_at: row.created_at,
    updated_at: row.updated_at,
    key_cleared: false,
    cleared_headers: [],
  }
}
