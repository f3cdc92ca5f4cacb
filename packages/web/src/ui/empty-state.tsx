import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export interface EmptyStateProps {
  icon?: LucideIcon
  title: ReactNode
  /** One sentence that explains why. */
  children?: ReactNode
  /** The next step. */
  actions?: ReactNode
}

/** Shown instead of an empty list. */
export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-16 text-center">
      {Icon && <Icon size={24} strokeWidth={1.5} className="text-fg-subtle" aria-hidden />}
      <h2 className="text-heading">{title}</h2>
      {children !== undefined && <div className="max-w-md text-base text-fg-muted">{children}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}
