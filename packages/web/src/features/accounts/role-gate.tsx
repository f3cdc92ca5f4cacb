import type { Role } from '@touchstone/sdk'
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { getRoleLabel } from '#lib/roles.ts'
import { useMay } from './me.ts'

export interface RoleGateProps {
  /** The minimum role that may use the controls inside; absent: every role. */
  least: Exclude<Role, 'viewer'> | undefined
  children: ReactNode
}

/** Disables the controls inside for roles that may not use them, and shows the reason above. */
export function RoleGate({ least, children }: RoleGateProps) {
  const hasRole = useMay(least ?? 'viewer')
  if (hasRole || least === undefined) return children
  return (
    <>
      <p
        role="note"
        className="flex items-center gap-2 border-b border-border bg-sunken px-3 py-2 text-row text-fg-muted"
      >
        <Lock size={13} aria-hidden className="shrink-0" />
        Read-only: you need the role {getRoleLabel(least)} to make changes.
      </p>
      <fieldset disabled className="contents">
        {children}
      </fieldset>
    </>
  )
}
