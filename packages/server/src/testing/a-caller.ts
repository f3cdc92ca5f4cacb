import type { Role } from '@touchstone/contract'
import type { Caller } from '../http/serve.ts'

/** Somebody of a workspace, where a test calls a verb itself. */
export function aCaller(tenantId: string, role: Role = 'admin'): Caller {
  return { tenantId, kind: 'local', actorId: undefined, actorName: undefined, role, isServerAdmin: true }
}
