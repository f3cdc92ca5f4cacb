import { HIDDEN_HEADER, type PromptWebhook, type WebhookDelivery } from '@touchstone/contract'
import type { DeliveryRow, WebhookRow } from '../../../storage/relational/tables/prompts.ts'

/** @param secret, clearedHeaders  only where that happened just now */
export function presentWebhook(
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
