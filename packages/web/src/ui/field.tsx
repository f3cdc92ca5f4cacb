import type { ReactNode } from 'react'
import { cx } from '#lib/browser/cx.ts'

/** Classes of a one-line text field or a select. */
export const FIELD =
  'h-8 min-w-0 rounded-control border border-border-strong bg-surface px-2 text-form text-fg placeholder:text-fg-subtle coarse:h-10'

/** Classes of a text area. */
export const TEXT_AREA =
  'min-h-16 rounded-control border border-border-strong bg-surface px-2 py-1 text-form text-fg placeholder:text-fg-subtle'

export interface FieldProps {
  label: ReactNode
  /** One field. */
  children: ReactNode
  /** Help text below the field. */
  hint?: ReactNode
  className?: string
}

/** A field under its label. */
export function Field({ label, children, hint, className }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is the child
    <label className={cx('flex min-w-0 flex-col gap-1 text-row text-fg-muted', className)}>
      <span>{label}</span>
      {children}
      {hint !== undefined && <span className="text-meta text-fg-subtle">{hint}</span>}
    </label>
  )
}
