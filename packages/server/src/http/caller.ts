import type { Role } from '@touchstone/contract'

/** Whom a request speaks for. Every query carries `tenantId`. */
export interface Caller {
  readonly tenantId: string
  /** The key used; `undefined` while the server is open on loopback and none was sent. */
  readonly actorId: string | undefined
  /** What the key is called: its description, or its first and last characters. */
  readonly actorName: string | undefined
  /** While the server is open, everybody is an admin. */
  readonly role: Role
}
