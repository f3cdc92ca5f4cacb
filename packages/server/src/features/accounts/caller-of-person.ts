import type { Caller } from '../../http/caller.ts'
import type { MemberRow } from '../../storage/relational/tables/accounts.ts'

export function callerOfPerson({ id, tenant_id, name, role, is_server_admin }: MemberRow, signInId?: string): Caller {
  const person: Caller = {
    tenantId: tenant_id,
    kind: 'person',
    actorId: id,
    actorName: name,
    role,
    isServerAdmin: is_server_admin,
  }
  return signInId === undefined ? person : { ...person, signInId }
}
