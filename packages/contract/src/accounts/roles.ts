import { z } from 'zod'

/** What a key or a member of a workspace may do: read; change what is recorded; decide who else may. Each may all before it. */
export const Role = z.enum(['viewer', 'member', 'admin'])
export type Role = z.infer<typeof Role>

/** The one of two roles that may less. */
export function lowerRole(a: Role, b: Role): Role {
  return isAtLeast(a, b) ? b : a
}

/** Whether a role may what `least` may. */
export function isAtLeast(role: Role, least: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(least)
}
