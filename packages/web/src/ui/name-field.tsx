import { useId } from 'react'
import { FIELD, Field } from './field.tsx'

export interface NameFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** Existing names, suggested while the user types. */
  names: readonly string[]
  /** Shown if the typed name does not exist. */
  whenNew: string
  placeholder?: string
}

/** A field for an existing or a new name. */
export function NameField({ label, value, onChange, names, whenNew, placeholder }: NameFieldProps) {
  const id = useId()
  const isNew = value.trim() !== '' && !names.includes(value.trim())
  return (
    <Field label={label} hint={isNew ? whenNew : undefined}>
      <input
        required
        list={id}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        className={FIELD}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </Field>
  )
}
