import { useId } from 'react'
import { FIELD, Field } from './field.tsx'

export interface NameFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** Names that exist, offered while one types. */
  names: readonly string[]
  /** Said when the name typed is none of them. */
  whenNew: string
  placeholder?: string
}

/** The name of something that exists, or of something to be made. */
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
