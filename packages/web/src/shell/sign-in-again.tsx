import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountMutation, signOut } from '#features/accounts/queries.ts'
import { describeFailure } from '#lib/errors.ts'
import { CredentialFields } from '#ui/credential-fields.tsx'
import { FormDialog } from '#ui/dialog.tsx'
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
      <CredentialFields
        value={{ email, password }}
        onChange={(value) => setPassword(value.password)}
        isEmailFixed
        problems={{ password: signIn.isError ? describeFailure(signIn.error).message : undefined }}
      />
    </FormDialog>
  )
}
