import type { Role } from '@touchstone/contract'
import type { Caller } from '../http/serve.ts'

/** A caller of a workspace, for tests that call a function of a feature directly. */
export function aCaller(tenantId: string, role: Role = 'admin'): Caller {
  return { tenantId, kind: 'local', actorId: undefined, actorName: undefined, role, isServerAdmin: true }
}
