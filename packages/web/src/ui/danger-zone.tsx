import type { ReactNode } from 'react'

export interface DangerZoneProps {
  /** What is deleted, and the consequences. */
  explanation: ReactNode
  /** The button that opens the dialog. */
  action: ReactNode
  /** The dialog, while it is open. */
  children?: ReactNode
}

/** The last section of a settings page, for actions that cannot be undone. */
export function DangerZone({ explanation, action, children }: DangerZoneProps) {
  return (
    <section aria-labelledby="danger" className="rounded-card border border-err bg-surface">
      <h2 id="danger" className="px-4 pt-3 text-form font-semibold">
        Danger zone
      </h2>
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <p className="min-w-56 flex-1 text-row text-fg-muted">{explanation}</p>
        {action}
      </div>
      {children}
    </section>
  )
}
