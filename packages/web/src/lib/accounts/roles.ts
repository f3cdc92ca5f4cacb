import type { Role } from '@touchstone/sdk'

/** From the least to the most; each may all before it. */
export const ROLES: readonly { role: Role; label: string; may: string }[] = [
  { role: 'viewer', label: 'Viewer', may: 'reads everything, changes nothing' },
  { role: 'member', label: 'Member', may: 'reads, sends traces, and changes what is recorded' },
  { role: 'admin', label: 'Admin', may: 'may do everything, and decides who may come in' },
]

/** Whether a role may what `least` may. */
export function isAtLeast(role: Role, least: Role): boolean {
  const rank = (of: Role) => ROLES.findIndex((one) => one.role === of)
  return rank(role) >= rank(least)
}

export function getRoleLabel(role: Role): string {
  return ROLES.find((one) => one.role === role)!.label
}
