import type { FieldProblems } from './checked-form.tsx'
import { TextField } from './field.tsx'

export interface Credentials {
  email: string
  password: string
}

export interface CredentialFieldsProps {
  value: Credentials
  onChange: (value: Credentials) => void
  /** Whether the email is fixed. The password has the focus then. */
  isEmailFixed?: boolean
  problems?: FieldProblems<keyof Credentials> | undefined
}

/** Email and password of an existing account, with the attributes that password managers need. */
export function CredentialFields({ value, onChange, isEmailFixed = false, problems }: CredentialFieldsProps) {
  return (
    <>
      <TextField
        label="Email"
        error={problems?.email}
        type="email"
        autoComplete="username"
        required
        readOnly={isEmailFixed}
        tabIndex={isEmailFixed ? -1 : undefined}
        // The form has one purpose.
        autoFocus={!isEmailFixed}
        value={value.email}
        onChange={(typed) => onChange({ ...value, email: typed })}
      />
      <TextField
        label="Password"
        error={problems?.password}
        type="password"
        autoComplete="current-password"
        required
        // The field before it cannot be edited.
        autoFocus={isEmailFixed}
        value={value.password}
        onChange={(typed) => onChange({ ...value, password: typed })}
      />
    </>
  )
}
