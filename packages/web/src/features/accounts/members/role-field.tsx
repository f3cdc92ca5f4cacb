import type { Role } from '@touchstone/sdk'
import { ROLES } from '#lib/roles.ts'

export interface RoleFieldProps {
  /** @default all roles */
  roles?: typeof ROLES
  value: Role
  onChange: (role: Role) => void
}

/** Radio buttons for a role, each with its permissions. */
export function RoleField({ roles = ROLES, value, onChange }: RoleFieldProps) {
  return (
    <fieldset className="flex flex-col gap-1.5 text-base">
      <legend className="mb-1 text-row text-fg-muted">Role</legend>
      {roles.map(({ role, label, description }) => (
        <label key={role} className="flex items-start gap-2">
          <input type="radio" name="role" className="mt-1" checked={value === role} onChange={() => onChange(role)} />
          <span>
            {label} <span className="text-fg-muted">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
