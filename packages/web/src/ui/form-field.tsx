import { type ReactNode, useId } from 'react'
import { cx } from '#lib/browser/cx.ts'

/** Classes of a text field or a select: 32 px high, 40 px on touch screens. */
export const CONTROL =
  'h-8 w-full min-w-0 rounded-control border border-border-strong bg-surface px-2 text-form text-fg placeholder:text-fg-subtle disabled:bg-sunken disabled:text-fg-muted aria-[invalid=true]:border-err coarse:h-10'

export interface FormFieldProps {
  label: ReactNode
  /** Help text below the control. */
  hint?: ReactNode
  /** Validation error; screen readers announce it with the field. */
  error?: string | undefined
  /** Renders the control with these props. */
  children: (props: ControlProps) => ReactNode
  className?: string
}

export interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean
}

/** A control with a label above and a hint or an error below, linked for screen readers. */
export function FormField({ label, hint, error, children, className }: FormFieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  const note = error ?? hint
  return (
    <div className={cx('flex min-w-0 flex-col gap-1 text-row', className)}>
      <label htmlFor={id} className="text-fg-muted">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : noteId,
        'aria-invalid': error !== undefined,
      })}
      {note !== undefined && (
        <p id={noteId} role={error ? 'alert' : undefined} className={error ? 'text-err' : 'text-fg-muted'}>
          {note}
        </p>
      )}
    </div>
  )
}
