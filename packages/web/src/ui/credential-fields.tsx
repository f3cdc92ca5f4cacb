import { CONTROL, FormField } from './field.tsx'

export interface Credentials {
  email: string
  password: string
}

export interface CredentialFieldsProps {
  value: Credentials
  onChange: (value: Credentials) => void
  /** Whether the email is fixed. The password has the focus then. */
  isEmailFixed?: boolean
  /** Error of the password field. */
  error?: string | undefined
}

/** Email and password of an existing account, with the attributes that password managers need. */
export function CredentialFields({ value, onChange, isEmailFixed = false, error }: CredentialFieldsProps) {
  return (
    <>
      <FormField label="Email">
        {(props) => (
          <input
            {...props}
            type="email"
            autoComplete="username"
            required
            readOnly={isEmailFixed}
            tabIndex={isEmailFixed ? -1 : undefined}
            // biome-ignore lint/a11y/noAutofocus: the form has one purpose
            autoFocus={!isEmailFixed}
            value={value.email}
            onChange={(event) => onChange({ ...value, email: event.target.value })}
            className={CONTROL}
          />
        )}
      </FormField>
      <FormField label="Password" error={error}>
        {(props) => (
          <input
            {...props}
            type="password"
            autoComplete="current-password"
            required
            // biome-ignore lint/a11y/noAutofocus: the field before it cannot be edited
            autoFocus={isEmailFixed}
            value={value.password}
            onChange={(event) => onChange({ ...value, password: event.target.value })}
            className={CONTROL}
          />
        )}
      </FormField>
    </>
  )
}
