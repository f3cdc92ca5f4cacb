import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountMutation, signOut } from '#data/accounts.ts'
import { describeFailure } from '#lib/errors.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { CONTROL, FormField } from '#ui/field.tsx'
import { toast } from '#ui/toast.tsx'

export interface SignInAgainProps {
  email: string
  onDone: () => void
}

/** Shown over the page when a session has expired, so that unsaved input is kept. */
export function SignInAgain({ email, onDone }: SignInAgainProps) {
  const signIn = useMutation({ ...accountMutation.signInAgain(useQueryClient()) })
  const [password, setPassword] = useState('')
  function submit() {
    const onSuccess = () => {
      onDone()
      toast.done('Signed in again. Your unsaved changes are still here.')
    }
    signIn.mutate({ email, password }, { onSuccess })
  }
  return (
    <FormDialog
      title="Your session has expired"
      description="Sign in again to continue. Nothing you typed is lost."
      action="Sign in"
      cancelLabel="Sign out"
      canSubmit={password !== ''}
      isPending={signIn.isPending}
      onSubmit={submit}
      onCancel={() => void signOut()}
      onClose={onDone}
    >
      <FormField label="Email">
        {(props) => (
          <input
            {...props}
            type="email"
            autoComplete="username"
            readOnly
            tabIndex={-1}
            value={email}
            className={CONTROL}
          />
        )}
      </FormField>
      <FormField label="Password" error={signIn.isError ? describeFailure(signIn.error).message : undefined}>
        {(props) => (
          <input
            {...props}
            type="password"
            autoComplete="current-password"
            // biome-ignore lint/a11y/noAutofocus: the field before it cannot be edited
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            className={CONTROL}
          />
        )}
      </FormField>
    </FormDialog>
  )
}
