import type { Role } from '@touchstone/contract'

/** The sender of a request. Every query is limited to its `tenantId`. */
export type Caller = PersonCaller | KeyCaller | LocalCaller

interface CallerBase {
  readonly tenantId: string
  readonly role: Role
  /** Whether the caller may use the routes of server administrators, in any workspace. */
  readonly isServerAdmin: boolean
}

interface PersonCaller extends CallerBase {
  readonly kind: 'person'
  readonly actorId: string
  /** The person's name. */
  readonly actorName: string
  /** The sign-in that the request used. */
  readonly signInId?: string
}

interface KeyCaller extends CallerBase {
  readonly kind: 'key'
  readonly actorId: string
  /** The description of the key, or its first and last characters. */
  readonly actorName: string
}

/** A caller without credentials while the server is open on loopback; always an admin. */
interface LocalCaller extends CallerBase {
  readonly kind: 'local'
  readonly actorId: undefined
  readonly actorName: undefined
}
