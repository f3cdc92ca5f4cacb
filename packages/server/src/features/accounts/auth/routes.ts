import { type ApiKey, contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../http/router.ts'
import { serve } from '../../../http/serve.ts'
import type { ApiKeyRow } from '../../../storage/relational/tables/accounts.ts'
import type { Keyring } from './keyring.ts'
import { createKey, revokeKey } from './keys.ts'
import { selectKeys } from './store.ts'

export function authRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>, keyring: Keyring): void {
  const { db } = deps.relational

  serve(app, contract.apiKeys.list, async ({ caller }) => (await selectKeys(db, caller.tenantId)).map(presentKey))

  serve(app, contract.apiKeys.create, async ({ caller, body }) => {
    const key = await createKey(deps, caller, body)
    keyring.forget()
    return key
  })

  serve(app, contract.apiKeys.revoke, async ({ caller, params }) => {
    const row = await revokeKey(deps, caller, params.id)
    keyring.forget()
    return presentKey(row)
  })
}

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
