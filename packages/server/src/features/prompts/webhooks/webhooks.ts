import {
  ApiError,
  HIDDEN_HEADER,
  type PromptWebhook,
  type PromptWebhookCreate,
  type PromptWebhookUpdate,
  timeOfEpochMs,
  type WebhookDelivery,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { assertUrlAllowed } from '../../../http/assert-url-allowed.ts'
import type { Outbound } from '../../../outbound/open-outbound.ts'
import { fillMaskedHeaders, hasSameTarget, newSigningSecret } from '../../../outbound/signed-webhook.ts'
import { assertExpected } from '../../../storage/relational/expected.ts'
import { seal, unseal } from '../../../storage/relational/server-secret.ts'
import type { DeliveryRow, WebhookRow } from '../../../storage/relational/tables/prompts.ts'
import { insertWebhook, selectWebhook, selectWebhookForChange, selectWebhooks, updateWebhook } from './store.ts'

export type WebhookDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'log'> & { readonly outbound: Outbound }

export async function listWebhooks(deps: WebhookDeps, tenantId: string): Promise<PromptWebhook[]> {
  const rows = await selectWebhooks(deps.relational.db, tenantId)
  return Promise.all(rows.map(async (row) => presentWebhook(row, await decryptHeaders(deps, row))))
}

export async function readWebhook(deps: WebhookDeps, tenantId: string, id: string): Promise<PromptWebhook> {
  const row = await getWebhook(deps, tenantId, id)
  return presentWebhook(row, await decryptHeaders(deps, row))
}

/** @throws ApiError INVALID_REQUEST for a URL that the server may not call; CONFLICT for an id that is taken */
export async function createWebhook(
  deps: WebhookDeps,
  tenantId: string,
  body: PromptWebhookCreate,
): Promise<PromptWebhook> {
  assertUrlAllowed(deps, body.url)
  const id = body.id ?? deps.ids()
  const headers = body.headers ?? {}
  const secret = newSigningSecret()
  const now = timeOfEpochMs(deps.clock())
  const row: WebhookRow = {
    id,
    tenant_id: tenantId,
    url: body.url,
    sealed_headers: await seal(deps.relational, id, JSON.stringify(headers)),
    sealed_secret: await seal(deps.relational, id, secret),
    include_prompts: body.include_prompts ?? [],
    exclude_prompts: body.exclude_prompts ?? [],
    triggers: body.triggers ?? ['commit'],
    created_at: now,
    updated_at: now,
  }
  if (!(await insertWebhook(deps.relational.db, row))) throw new ApiError('CONFLICT', 'This id is taken.')
  return presentWebhook(row, headers, secret)
}

/**
 * Changes a webhook. A URL that differs in more than its query gets no stored secrets: neither header values nor the signing secret.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST, CONFLICT when an expected value was changed
 */
export async function changeWebhook(
  deps: WebhookDeps,
  tenantId: string,
  id: string,
  body: PromptWebhookUpdate,
): Promise<PromptWebhook> {
  if (body.url !== undefined) assertUrlAllowed(deps, body.url)
  // Loads the sealing key before the transaction, because inside it would wait for the only connection.
  await decryptHeaders(deps, await getWebhook(deps, tenantId, id))
  // One change at a time: a concurrent change that read the headers before must not store them with a new URL.
  return deps.relational.transaction(async (tx) => {
    const before = await selectWebhookForChange(tx, tenantId, id)
    if (before === undefined) throw new ApiError('NOT_FOUND', 'Webhook not found')
    const isMoved = body.url !== undefined && !hasSameTarget(body.url, before.url)
    const stored = await decryptHeaders(deps, before)
    assertExpectedWebhook(body.expected, before, Object.keys(stored))
    const kept = isMoved ? {} : stored
    const headers = body.headers === undefined ? kept : fillMaskedHeaders(body.headers ?? {}, kept)
    const secret = isMoved || body.rotate_secret === true ? newSigningSecret() : null
    const row = await updateWebhook(tx, tenantId, id, {
      updated_at: timeOfEpochMs(deps.clock()),
      sealed_headers: await seal(deps.relational, id, JSON.stringify(headers)),
      ...(secret !== null && { sealed_secret: await seal(deps.relational, id, secret) }),
      ...(body.url !== undefined && { url: body.url }),
      ...(body.include_prompts !== undefined && { include_prompts: body.include_prompts ?? [] }),
      ...(body.exclude_prompts !== undefined && { exclude_prompts: body.exclude_prompts ?? [] }),
      ...(body.triggers !== undefined && { triggers: body.triggers ?? ['commit'] }),
    })
    const cleared = isMoved ? Object.keys(stored).filter((name) => !Object.hasOwn(headers, name)) : []
    if (row === undefined) throw new ApiError('NOT_FOUND', 'Webhook not found')
    return presentWebhook(row, headers, secret, cleared)
  })
}

/** @param headerNames  the names of the stored headers; their values stay hidden */
function assertExpectedWebhook(
  expected: PromptWebhookUpdate['expected'],
  { url, include_prompts, exclude_prompts, triggers }: WebhookRow,
  headerNames: readonly string[],
): void {
  const headers = expected?.headers && Object.keys(expected.headers).sort()
  const current = { url, include_prompts, exclude_prompts, triggers, headers: [...headerNames].sort() }
  assertExpected('The webhook', { ...expected, headers }, current)
}

/** @throws ApiError NOT_FOUND */
export async function getWebhook({ relational }: WebhookDeps, tenantId: string, id: string): Promise<WebhookRow> {
  const row = await selectWebhook(relational.db, tenantId, id)
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Webhook not found')
  return row
}

export async function decryptHeaders({ relational }: Pick<Deps, 'relational'>, { id, sealed_headers }: WebhookRow) {
  return JSON.parse(await unseal(relational, id, sealed_headers)) as Record<string, string>
}

export function decryptSecret(
  { relational }: Pick<Deps, 'relational'>,
  { id, sealed_secret }: WebhookRow,
): Promise<string> {
  return unseal(relational, id, sealed_secret)
}

/** @param secret, clearedHeaders  only right after they were created or cleared */
function presentWebhook(
  row: WebhookRow,
  headers: Readonly<Record<string, string>>,
  secret: string | null = null,
  clearedHeaders: readonly string[] = [],
): PromptWebhook {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    url: row.url,
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN_HEADER])),
    include_prompts: row.include_prompts,
    exclude_prompts: row.exclude_prompts,
    triggers: row.triggers,
    created_at: row.created_at,
    updated_at: row.updated_at,
    secret,
    cleared_headers: [...clearedHeaders],
  }
}

export function presentDelivery(row: DeliveryRow): WebhookDelivery {
  const { tenant_id: _tenant, payload: _payload, ...shown } = row
  return shown
}
