import type { Caller } from '../../http/caller.ts'
import type { PersonRow } from './tables.ts'

export function callerOfPerson({ id, tenant_id, name, role }: PersonRow, signInId?: string): Caller {
  const person = { tenantId: tenant_id, kind: 'person', actorId: id, actorName: name, role } as const
  return signInId === undefined ? person : { ...person, signInId }
}
