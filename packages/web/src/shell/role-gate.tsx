import type { Role } from '@touchstone/sdk'
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '#data/me.ts'
import { getRoleLabel } from '#lib/accounts/roles.ts'

export interface RoleGateProps {
  /** The least role that may change what is inside; absent for everybody. */
  least: Exclude<Role, 'viewer'> | undefined
  children: ReactNode
}

/** Shows what not everybody may change: to others its controls are closed, with the reason above them. */
export function RoleGate({ least, children }: RoleGateProps) {
  const may = useMay(least ?? 'viewer')
  if (may) return children
  return (
    <>
      <p
        role="note"
        className="flex items-center gap-2 border-b border-border bg-sunken px-3 py-2 text-row text-fg-muted"
      >
        <Lock size={13} aria-hidden className="shrink-0" />
        You may look, not change: this takes the role {getRoleLabel(least!)}.
      </p>
      <fieldset disabled className="contents">
        {children}
      </fieldset>
    </>
  )
}
