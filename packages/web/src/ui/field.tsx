import { type ComponentProps, type ReactNode, useId } from 'react'
import { cx } from '#lib/browser.ts'

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

/** Classes of a text field or a select: 32 px high, 40 px on touch screens. */
export const CONTROL =
  'h-8 w-full min-w-0 rounded-control border border-border-strong bg-surface px-2 text-form text-fg placeholder:text-fg-subtle disabled:bg-sunken disabled:text-fg-muted aria-[invalid=true]:border-err coarse:h-10'

interface FormFieldProps {
  label: ReactNode
  /** Help text below the control. */
  hint?: ReactNode
  /** Validation error; screen readers announce it with the field. */
  error?: string | undefined
  /** Renders the control with these props. */
  children: (props: ControlProps) => ReactNode
  className?: string | undefined
}

interface ControlProps {
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

interface TextFieldProps
  extends Omit<FormFieldProps, 'children'>,
    Omit<ComponentProps<'input'>, 'children' | 'className' | 'id' | 'onChange' | 'value'> {
  value: string
  onChange: (value: string) => void
  /** Whether the text is code: monospaced and not spell-checked. @default false */
  isCode?: boolean | undefined
  /** Whether the text is a decimal number. @default false */
  isNumber?: boolean
}

/** A one-line text field with a label above and a hint or an error below. */
export function TextField({
  label,
  hint,
  error,
  className,
  onChange,
  isCode = false,
  isNumber = false,
  ...input
}: TextFieldProps) {
  return (
    <FormField label={label} hint={hint} error={error} className={className}>
      {(props) => (
        <input
          dir={isCode || isNumber ? 'ltr' : 'auto'}
          {...(isCode && { spellCheck: false })}
          {...(isNumber && { inputMode: 'decimal' })}
          {...input}
          {...props}
          className={cx(CONTROL, isCode && 'font-mono', isNumber && 'num')}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </FormField>
  )
}
