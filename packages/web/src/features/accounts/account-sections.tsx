import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Me, SignIn } from '@touchstone/sdk'
import { useState } from 'react'
import { describeBrowser } from '#lib/browser.ts'
import { parseRefusal } from '#lib/errors.ts'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { getRoleLabel } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { CONTROL, FormField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { accountMutation, signInQuery, signOut } from './queries.ts'
import { WorkspaceList } from './workspace-list.tsx'

export function AccountSections({ me }: { me: Me }) {
  if (me.kind !== 'person') {
    return (
      <EmptyState title={me.kind === 'key' ? `Signed in with the API key “${me.name}”` : 'No accounts yet'}>
        {me.kind === 'key'
          ? `The key has the role ${getRoleLabel(me.role)}. To get an account, ask an admin for an invitation.`
          : 'Anyone on this machine can use this server.'}
      </EmptyState>
    )
  }
  return (
    <>
      <Name me={me} />
      <Password />
      <WorkspaceList me={me} />
      <SignIns />
      <div>
        <Button onClick={() => void signOut()}>Sign out</Button>
      </div>
    </>
  )
}

function Name({ me }: { me: Me }) {
  const queryClient = useQueryClient()
  const draft = useDraft({ name: me.name ?? '' }, 'name of the account')
  const save = useMutation({ ...accountMutation.rename(queryClient) })
  const name = draft.value.name.trim()
  return (
    <FormSection
      title="You"
      description={`${me.email} · ${getRoleLabel(me.role)}`}
      changes={draft.changed.map(() => ({ label: 'Name', from: me.name ?? '', to: name }))}
      isSaving={save.isPending}
      isRestored={draft.isRestored}
      isInvalid={name === ''}
      error={save.error}
      onSave={() =>
        save.mutate(name, {
          onSuccess: () => {
            draft.settle(draft.value)
            toast.done('Saved name')
          },
        })
      }
      onDiscard={draft.discard}
    >
      <FormField label="Name">
        {(props) => (
          <input
            {...props}
            autoComplete="name"
            maxLength={200}
            value={draft.value.name}
            onChange={(event) => draft.set({ name: event.target.value })}
            className={CONTROL}
          />
        )}
      </FormField>
    </FormSection>
  )
}

const EMPTY = { currentPassword: '', newPassword: '' }

function Password() {
  const change = useMutation({ ...accountMutation.changePassword(useQueryClient()) })
  const [draft, setDraft] = useState(EMPTY)
  const isTouched = draft.currentPassword !== '' || draft.newPassword !== ''
  const refusal = change.isError ? parseRefusal(change.error) : undefined
  const fields = refusal?.fields ?? {}
  const discard = () => {
    setDraft(EMPTY)
    change.reset()
  }
  return (
    <FormSection
      title="Password"
      description="Changing it signs you out everywhere else."
      changes={isTouched ? [{ label: 'Password' }] : []}
      isSaving={change.isPending}
      isInvalid={draft.currentPassword === '' || draft.newPassword.length < 10}
      error={change.isError && Object.keys(fields).length === 0 ? change.error : undefined}
      onSave={() =>
        change.mutate(draft, {
          onSuccess: () => {
            discard()
            toast.done('Changed password')
          },
        })
      }
      onDiscard={discard}
    >
      <FormField
        label="Current password"
        error={fields.current_password === undefined ? undefined : 'The current password is wrong.'}
      >
        {(props) => (
          <input
            {...props}
            type="password"
            autoComplete="current-password"
            value={draft.currentPassword}
            onChange={(event) => setDraft({ ...draft, currentPassword: event.target.value })}
            className={CONTROL}
          />
        )}
      </FormField>
      <FormField label="New password" hint="At least 10 characters." error={fields.new_password}>
        {(props) => (
          <input
            {...props}
            type="password"
            autoComplete="new-password"
            value={draft.newPassword}
            onChange={(event) => setDraft({ ...draft, newPassword: event.target.value })}
            className={CONTROL}
          />
        )}
      </FormField>
    </FormSection>
  )
}

function SignIns() {
  const list = useQuery(signInQuery.list())
  const end = useMutation({
    ...accountMutation.endSignIn(useQueryClient()),
    onError: (error) => toast.failure('Could not sign out the other browser', error),
  })
  return (
    <section aria-labelledby="sign-ins" className="rounded-card border border-border bg-surface">
      <h2 id="sign-ins" className="px-4 pt-3 text-form font-semibold">
        Active sign-ins
      </h2>
      {list.isPending && <SkeletonRows rows={2} label="Loading sign-ins" />}
      {list.isError && <ErrorState compact title="Could not load sign-ins" error={list.error} />}
      <ul className="px-4 py-2">
        {list.data?.map((one) => (
          <SignInRow key={one.id} signIn={one} onEnd={() => end.mutate(one.id)} />
        ))}
      </ul>
    </section>
  )
}

function SignInRow({ signIn, onEnd }: { signIn: SignIn; onEnd: () => void }) {
  const name = describeBrowser(signIn.user_agent)
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-3 border-b border-border py-1 text-row last:border-0">
      <span className="font-medium">{name}</span>
      <span className="min-w-0 flex-1 text-fg-muted">
        {signIn.is_current ? 'this browser' : `last used ${formatRelativeTime(signIn.last_used_at)}`}, until{' '}
        {formatAbsoluteTime(signIn.expires_at).slice(0, -4)}
      </span>
      {!signIn.is_current && (
        <Button look="danger" onClick={onEnd} aria-label={`Sign out ${name}`}>
          Sign out
        </Button>
      )}
    </li>
  )
}
