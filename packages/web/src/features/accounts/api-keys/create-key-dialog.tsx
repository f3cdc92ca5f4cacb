import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NewApiKey, Role } from '@touchstone/sdk'
import { useState } from 'react'
import { isAtLeast, ROLES } from '#lib/roles.ts'
import { environment } from '#lib/snippets.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, FormDialog } from '#ui/dialog.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { EnvironmentTabs, Snippet } from '#ui/snippet.tsx'
import { meQuery } from '../me.ts'
import { RoleField } from '../members/role-field.tsx'
import { createKey } from './queries.ts'

const DAY_MS = 86_400_000
const NEVER = '0'
/** Days until a key expires. */
const LIFETIMES = [
  { value: NEVER, label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

export interface CreateKeyDialogProps {
  /** The first key enables authentication, so it must have write access. */
  isFirst: boolean
  onClose: () => void
  onCreated: (key: NewApiKey, isOurs: boolean) => void
}

export function CreateKeyDialog({ isFirst, onClose, onCreated }: CreateKeyDialogProps) {
  const queryClient = useQueryClient()
  const [description, setDescription] = useState('')
  const [role, setRole] = useState<Role>(isFirst ? 'admin' : 'member')
  const mine = useQuery(meQuery.current()).data?.role ?? 'admin'
  const [days, setDays] = useState(NEVER)
  const create = useMutation({
    mutationFn: () =>
      createKey(queryClient, {
        description: description.trim(),
        role,
        expiresAt: days === NEVER ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      }),
    onSuccess: ({ created, isOurs }) => onCreated(created, isOurs),
  })

  return (
    <FormDialog
      title="New API key"
      action="Create key"
      errorTitle="Could not create the key"
      canSubmit={description.trim() !== ''}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={1000}
        placeholder="For example ci"
        value={description}
        onChange={setDescription}
      />
      <FormField label="Expires">
        {(props) => <Select {...props} value={days} onChange={setDays} options={LIFETIMES} />}
      </FormField>
      {isFirst ? (
        <p className="text-row text-fg-muted">
          After this, every request needs a key. This browser uses the new key, so it has write access.
        </p>
      ) : (
        <RoleField roles={ROLES.filter((one) => isAtLeast(mine, one.role))} value={role} onChange={setRole} />
      )}
    </FormDialog>
  )
}

/** Shows the secret; it is not stored and cannot be shown again. */
export function ShowKeyDialog({
  created,
  isOurs,
  onClose,
}: {
  created: NewApiKey
  isOurs: boolean
  onClose: () => void
}) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Copy your API key"
      description="Copy this key now. You won't see it again."
      width="max-w-xl"
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Snippet label="API key" text={created.key} />
        {!created.read_only && (
          <>
            <p className="text-row text-fg-muted">Environment variables for your program:</p>
            <EnvironmentTabs
              snippets={environment({ origin: location.origin, apiKey: created.key, project: 'default' })}
            />
          </>
        )}
        {isOurs && (
          <p className="text-row text-fg-muted">
            This is the first key: the server now requires a key, and this browser uses this one. Keep a copy to sign in
            from other browsers.
          </p>
        )}
      </div>
    </Dialog>
  )
}
