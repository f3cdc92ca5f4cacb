import type { ApiKey } from '@touchstone/contract'
import type { ApiKeyRow } from '../../../storage/relational/tables/accounts.ts'

export function presentKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    short_key: row.short_key,
    description: row.description,
    created_at: row.created_at,
    read_only: row.role === 'viewer',
    role: row.role,
    created_by: row.created_by,
    created_by_name: row.created_by_name,
    person_id: row.person_id,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  }
}
