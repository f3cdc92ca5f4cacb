import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { InviteView, Me } from '@touchstone/sdk'
import { useState } from 'react'
import { describeFailure, parseRefusal } from '#lib/errors.ts'
import { getRoleLabel, ROLES } from '#lib/roles.ts'
import { FormProblem, SignInFrame } from '#shell/frame/sign-in-frame.tsx'
import { Button } from '#ui/button.tsx'
import { findEmailProblem, findPasswordProblem, useCheckedForm } from '#ui/checked-form.tsx'
import { TextField } from '#ui/field.tsx'
import { accountMutation } from './queries.ts'

export interface InviteFormProps {
  token: string
  invite: InviteView
  onDone: () => void
}

export function InviteForm({ token, invite, onDone }: InviteFormProps) {
  const accept = useMutation({ ...accountMutation.acceptInvite(useQueryClient(), token) })
  const [draft, setDraft] = useState({ email: invite.email ?? '', name: '', password: '' })
  const [hasAccount, setHasAccount] = useState(false)
  const refusal = accept.isError ? parseRefusal(accept.error) : undefined
  const { form, problems } = useCheckedForm(
    {
      email: findEmailProblem(draft.email),
      password: hasAccount && draft.password !== '' ? undefined : findPasswordProblem(draft.password),
    },
    () =>
      accept.mutate({ ...draft, name: hasAccount ? undefined : draft.name.trim() || undefined }, { onSuccess: onDone }),
    accept.error,
  )
  return (
    <SignInFrame title={`Join ${invite.workspace_name}`} lead={<InviteLead invite={invite} />}>
      <form {...form} className="flex flex-col gap-3">
        <TextField
          label="Email"
          hint={invite.email === null ? undefined : 'The invitation is for this address.'}
          error={problems?.email ?? refusal?.fields.email}
          type="email"
          autoComplete="username"
          required
          readOnly={invite.email !== null}
          value={draft.email}
          onChange={(typed) => setDraft({ ...draft, email: typed })}
        />
        {!hasAccount && (
          <TextField
            label="Name (optional)"
            error={refusal?.fields.name}
            autoComplete="name"
            maxLength={200}
            value={draft.name}
            onChange={(typed) => setDraft({ ...draft, name: typed })}
          />
        )}
        <TextField
          label="Password"
          hint={hasAccount ? 'Password of your account.' : 'At least 10 characters.'}
          error={problems?.password ?? refusal?.fields.password}
          type="password"
          autoComplete={hasAccount ? 'current-password' : 'new-password'}
          required
          value={draft.password}
          onChange={(typed) => setDraft({ ...draft, password: typed })}
        />
        <FormProblem>
          {accept.isError && (refusal ? refusal.sentence : describeFailure(accept.error).message)}
        </FormProblem>
        <Button type="submit" look="primary" disabled={accept.isPending} className="h-9">
          {accept.isPending ? 'Joining…' : 'Join'}
        </Button>
        <Button onClick={() => setHasAccount(!hasAccount)}>
          {hasAccount ? 'Create an account' : 'I have an account'}
        </Button>
      </form>
    </SignInFrame>
  )
}

/** Role that the invitation grants. */
export function InviteLead({ invite }: { invite: InviteView }) {
  return (
    <>
      You are invited as <strong className="font-semibold text-fg">{getRoleLabel(invite.role)}</strong>:{' '}
      {ROLES.find(({ role }) => role === invite.role)!.description}.
    </>
  )
}

interface JoinWithAccountProps {
  token: string
  invite: InviteView
  me: Me
  onDone: () => void
  onOther: () => void
}

/** Joins the workspace with the signed-in account. */
export function JoinWithAccount({ token, invite, me, onDone, onOther }: JoinWithAccountProps) {
  const join = useMutation({ ...accountMutation.joinByInvite(useQueryClient(), token) })
  return (
    <SignInFrame title={`Join ${invite.workspace_name}`} lead={<InviteLead invite={invite} />}>
      <FormProblem>{join.isError && describeFailure(join.error).message}</FormProblem>
      <Button
        look="primary"
        disabled={join.isPending}
        className="h-9"
        onClick={() => join.mutate(undefined, { onSuccess: onDone })}
      >
        {join.isPending ? 'Joining…' : `Join as ${me.name}`}
      </Button>
      <p className="text-row text-fg-muted">You are signed in as {me.email}.</p>
      <Button onClick={onOther}>Use another account</Button>
    </SignInFrame>
  )
}
