import type { Role } from '@touchstone/sdk'

/** From the fewest to the most permissions. Each role includes the ones before it. */
export const ROLES: readonly { role: Role; label: string; description: string }[] = [
  { role: 'viewer', label: 'Viewer', description: 'can view everything' },
  { role: 'member', label: 'Member', description: 'can send traces and edit data' },
  { role: 'admin', label: 'Admin', description: 'has full access and manages members' },
]

/** Why a viewer cannot change anything, in the words of the server. */
export const READ_ONLY = 'Viewers have read-only access.'

/** Whether a role has at least the permissions of `least`. */
export function isAtLeast(role: Role, least: Role): boolean {
  const rank = (wanted: Role) => ROLES.findIndex((one) => one.role === wanted)
  return rank(role) >= rank(least)
}

export function getRoleLabel(role: Role): string {
  return ROLES.find((one) => one.role === role)?.label ?? role
}
