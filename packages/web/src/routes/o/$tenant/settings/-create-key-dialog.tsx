import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { NewApiKey, Role } from '@touchstone/sdk'
import { type FormEvent, useState } from 'react'
import { createKey } from '#data/api-keys.ts'
import { meQuery } from '#data/me.ts'
import { isAtLeast, ROLES } from '#lib/accounts/roles.ts'
import { environment } from '#lib/snippets/snippets.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Snippet } from '#ui/snippet.tsx'

const DAY_MS = 86_400_000
const LIFETIMES = [
  { days: 0, label: 'Never' },
  { days: 7, label: 'In 7 days' },
  { days: 30, label: 'In 30 days' },
  { days: 90, label: 'In 90 days' },
  { days: 365, label: 'In a year' },
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
  const [days, setDays] = useState(0)
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })

  async function create(event: FormEvent) {
    event.preventDefault()
    setState({ busy: true })
    try {
      const { created, isOurs } = await createKey(queryClient, {
        description: description.trim(),
        role,
        expiresAt: days === 0 ? undefined : new Date(Date.now() + days * DAY_MS).toISOString(),
      })
      onCreated(created, isOurs)
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="New API key"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="create-key" disabled={state.busy || description.trim() === ''}>
            Create key
          </Button>
        </>
      }
    >
      <form id="create-key" onSubmit={create} className="flex flex-col gap-3 text-row">
        {state.error !== undefined && <ErrorState compact title="Could not create the key" error={state.error} />}
        <label className="flex flex-col gap-1 text-fg-muted">
          Name
          <input
            required
            maxLength={1000}
            placeholder="For example ci"
            value={description}
            onChange={(event) => setDescription(event.target.value)}
            className={FIELD}
          />
        </label>
        <label className="flex flex-col gap-1 text-fg-muted">
          Expires
          <select value={days} onChange={(event) => setDays(Number(event.target.value))} className={FIELD}>
            {LIFETIMES.map((lifetime) => (
              <option key={lifetime.days} value={lifetime.days}>
                {lifetime.label}
              </option>
            ))}
          </select>
        </label>
        {isFirst ? (
          <p className="text-fg-muted">
            After this, every request needs a key. This browser uses the new key, so it has write access.
          </p>
        ) : (
          <fieldset className="flex flex-col gap-1.5 text-base">
            <legend className="mb-1 text-row text-fg-muted">Role</legend>
            {ROLES.filter((one) => isAtLeast(mine, one.role)).map((one) => (
              <label key={one.role} className="flex items-start gap-2">
                <input
                  type="radio"
                  name="role"
                  className="mt-1"
                  checked={role === one.role}
                  onChange={() => setRole(one.role)}
                />
                <span>
                  {one.label} <span className="text-fg-muted">{one.description}</span>
                </span>
              </label>
            ))}
          </fieldset>
        )}
      </form>
    </Dialog>
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
            <Snippet
              label="Environment"
              text={environment({ origin: location.origin, apiKey: created.key, project: 'default' })}
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

const FIELD = 'h-8 rounded-control border border-border-strong bg-surface px-2 text-form text-fg coarse:h-10'
