import { type ReactNode, useId } from 'react'
import { cx } from '#lib/browser/cx.ts'

/** The look of a text field or a select in a form: 32 px high, 40 px under a finger. */
export const CONTROL =
  'h-8 w-full min-w-0 rounded-control border border-border-strong bg-surface px-2 text-form text-fg placeholder:text-fg-subtle disabled:bg-sunken disabled:text-fg-muted aria-[invalid=true]:border-err coarse:h-10'

export interface FormFieldProps {
  label: ReactNode
  /** What to know before typing. */
  hint?: ReactNode
  /** What is wrong with what was typed; announced with the field. */
  error?: string | undefined
  /** Draws the control; it must carry what it is given. */
  children: (props: ControlProps) => ReactNode
  className?: string
}

export interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean
}

/** A control with its name above and its hint or complaint below, tied to it for screen readers. */
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
