import type { Invite, Member } from '@touchstone/contract'
import type { PersonRow } from '../accounts/index.ts'
import type { InviteRow } from './tables.ts'

export function presentMember(
  { id, email, name, role, created_at, last_seen_at }: PersonRow,
  keyCounts: ReadonlyMap<string, number>,
): Member {
  return { id, email, name, role, created_at, last_seen_at, key_count: keyCounts.get(id) ?? 0 }
}

export function presentInvite({ id, role, email, created_by_name, created_at, expires_at }: InviteRow): Invite {
  return { id, role, email, created_by_name, created_at, expires_at }
}
