import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { accountMutation, leave } from '#data/accounts.ts'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { CONTROL, FormField } from '#ui/form-field.tsx'
import { toast } from '#ui/toast.tsx'

export interface SignInAgainProps {
  email: string
  onDone: () => void
}

/** Over the page when a sign-in has ended: what was typed there survives, and goes on once the password is given. */
export function SignInAgain({ email, onDone }: SignInAgainProps) {
  const signIn = useMutation({ ...accountMutation.signInAgain(useQueryClient()) })
  const [password, setPassword] = useState('')
  function submit(event: FormEvent) {
    event.preventDefault()
    // The dialog may stand over a form of the page, which must not be sent along.
    event.stopPropagation()
    signIn.mutate(
      { email, password },
      {
        onSuccess: () => {
          onDone()
          toast.done('Signed in again. What could not be saved is still here.')
        },
      },
    )
  }
  return (
    <Dialog
      open
      onOpenChange={onDone}
      title="Your sign-in has ended"
      description="Sign in again to go on where you are. Nothing that you typed is lost."
      footer={
        <>
          <Button onClick={() => void leave()}>Leave</Button>
          <Button type="submit" form="sign-in-again" look="primary" disabled={signIn.isPending}>
            Sign in
          </Button>
        </>
      }
    >
      <form id="sign-in-again" onSubmit={submit} className="flex flex-col gap-3">
        <FormField label="E-mail">
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
              required
              autoFocus
              value={password}
              onChange={(event) => setPassword(event.target.value)}
              className={CONTROL}
            />
          )}
        </FormField>
      </form>
    </Dialog>
  )
}
