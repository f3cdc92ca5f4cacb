import type { Invite, Member } from '@touchstone/contract'
import type { InviteRow } from '../../../storage/relational/tables/accounts.ts'
import type { MemberRow } from '../index.ts'

/** How much ends with a person, by the person's id. */
export interface OwnedCounts {
  readonly keys: ReadonlyMap<string, number>
  readonly invites: ReadonlyMap<string, number>
}

export function presentMember(
  { id, email, name, role, created_at, last_seen_at }: MemberRow,
  { keys, invites }: OwnedCounts,
): Member {
  const counts = { key_count: keys.get(id) ?? 0, invite_count: invites.get(id) ?? 0 }
  return { id, email, name, role, created_at, last_seen_at, ...counts }
}

export function presentInvite({ id, role, email, created_by_name, created_at, expires_at }: InviteRow): Invite {
  return { id, role, email, created_by_name, created_at, expires_at }
}
