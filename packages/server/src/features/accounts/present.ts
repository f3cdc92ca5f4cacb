import type { Me, SignIn } from '@touchstone/contract'
import type { Caller } from '../../http/caller.ts'
import type { MemberRow, SignInRow } from '../../storage/relational/tables/accounts.ts'

export function presentMe({ id, name, email, role, is_server_admin, tenant_id }: MemberRow): Me {
  return { kind: 'person', id, name, email, role, is_server_admin, tenant_id }
}

/** A caller that is no person. */
export function presentCaller({ kind, actorId, actorName, role, isServerAdmin, tenantId }: Caller): Me {
  const who = { kind, id: actorId ?? null, name: actorName ?? null, email: null }
  return { ...who, role, is_server_admin: isServerAdmin, tenant_id: tenantId }
}

export function presentSignIn(row: SignInRow, currentId: string | undefined): SignIn {
  return {
    id: row.id,
    user_agent: row.user_agent,
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
    is_current: row.id === currentId,
  }
}
