import type { ApiKey } from '@touchstone/contract'
import type { ApiKeyRow } from './tables.ts'

export function presentKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    short_key: row.short_key,
    description: row.description,
    created_at: row.created_at,
    read_only: row.read_only,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  }
}
