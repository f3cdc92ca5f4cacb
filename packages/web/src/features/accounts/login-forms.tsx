import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { writeKey } from '#lib/api/session.ts'
import { describeFailure } from '#lib/errors.ts'
import { FormProblem, SignInFrame } from '#shell/frame/sign-in-frame.tsx'
import { Button } from '#ui/button.tsx'
import { findEmailProblem, useCheckedForm } from '#ui/checked-form.tsx'
import { CredentialFields } from '#ui/credential-fields.tsx'
import { TextField } from '#ui/field.tsx'
import { workspaceQuery } from './me.ts'
import { accountMutation } from './queries.ts'

export interface LoginFormsProps {
  /** Whether accounts exist; without them, an API key is the only way to sign in. */
  hasPeople: boolean
  onDone: () => void
}

export function LoginForms({ hasPeople, onDone }: LoginFormsProps) {
  const [withKey, setWithKey] = useState(!hasPeople)
  if (!withKey) {
    return (
      <SignInFrame title="Sign in">
        <PasswordForm onDone={onDone} />
        <Button look="quiet" className="self-center" onClick={() => setWithKey(true)}>
          Use an API key instead
        </Button>
        <p className="text-row text-fg-muted">Forgot your password? Ask an admin to invite you again.</p>
      </SignInFrame>
    )
  }
  return (
    <SignInFrame title="Sign in" lead="This server requires an API key. The key is stored in this browser.">
      <KeyForm onDone={onDone} />
      {hasPeople ? (
        <Button look="quiet" className="self-center" onClick={() => setWithKey(false)}>
          Use an account instead
        </Button>
      ) : (
        <p className="text-row text-fg-muted">
          No key yet? Stop the server, run <code className="font-mono">npm start -- --create-key NAME</code>, and start
          the server again.
        </p>
      )}
    </SignInFrame>
  )
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const signIn = useMutation({ ...accountMutation.signIn(useQueryClient()) })
  const [credentials, setCredentials] = useState({ email: '', password: '' })
  const { form, problems } = useCheckedForm(
    {
      email: findEmailProblem(credentials.email),
      password: credentials.password === '' ? 'Enter your password.' : undefined,
    },
    () => signIn.mutate(credentials, { onSuccess: onDone }),
  )
  return (
    <form {...form} className="flex flex-col gap-3">
      <CredentialFields value={credentials} onChange={setCredentials} problems={problems} />
      <FormProblem>{signIn.isError && describeFailure(signIn.error).message}</FormProblem>
      <Button type="submit" look="primary" disabled={signIn.isPending} className="h-9">
        {signIn.isPending ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  )
}

function KeyForm({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient()
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function signIn() {
    setBusy(true)
    writeKey(key.trim())
    try {
      queryClient.clear()
      await queryClient.fetchQuery({ ...workspaceQuery.current(), retry: false })
      onDone()
    } catch (cause) {
      writeKey(undefined)
      const failure = describeFailure(cause)
      setProblem(failure.status === 401 ? 'This key is invalid or has been revoked.' : failure.message)
      setBusy(false)
    }
  }

  const { form, problems } = useCheckedForm(
    { key: key.trim() === '' ? 'Enter an API key.' : undefined },
    () => void signIn(),
  )
  return (
    <form {...form} className="flex flex-col gap-3">
      <TextField
        label="API key"
        error={problems?.key}
        type="password"
        autoComplete="off"
        required
        // The page has one purpose and one field.
        autoFocus
        value={key}
        onChange={setKey}
        isCode
      />
      <FormProblem>{problem}</FormProblem>
      <Button type="submit" look="primary" disabled={isBusy} className="h-9">
        {isBusy ? 'Checking…' : 'Sign in'}
      </Button>
    </form>
  )
}
