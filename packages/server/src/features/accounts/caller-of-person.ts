import type { Caller } from '../../http/caller.ts'
import type { MemberRow } from './tables.ts'

export function callerOfPerson({ id, tenant_id, name, role }: MemberRow, signInId?: string): Caller {
  const person = { tenantId: tenant_id, kind: 'person', actorId: id, actorName: name, role } as const
  return signInId === undefined ? person : { ...person, signInId }
}
