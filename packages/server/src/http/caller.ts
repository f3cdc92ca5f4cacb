import type { Role } from '@touchstone/contract'

/** Whom a request speaks for. Every query carries `tenantId`. */
export interface Caller {
  readonly tenantId: string
  /** `local` while the server is open on loopback: nobody can be told apart. */
  readonly kind: 'person' | 'key' | 'local'
  /** Of the person or the key; `undefined` for `local`. */
  readonly actorId: string | undefined
  /** The person's name; of a key its description, or its first and last characters. */
  readonly actorName: string | undefined
  /** While the server is open, everybody is an admin. */
  readonly role: Role
  /** Whether the caller may do what concerns the whole server, whatever the workspace of the request. */
  readonly isServerAdmin: boolean
  /** By which of their sign-ins a person came. */
  readonly signInId?: string
}
