import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiKey, NewApiKey } from '@touchstone/sdk'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { formatAbsoluteTime, formatRelativeTime, pluralize } from '#lib/format.ts'
import { getRoleLabel } from '#lib/roles.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { meQuery, useMay } from '../me.ts'
import { CreateKeyDialog, ShowKeyDialog } from './create-key-dialog.tsx'
import { apiKeyQuery, revokeKey } from './queries.ts'

/** API keys with their last use. A secret is shown once, after its key was created. */
export function ApiKeysPage() {
  const keys = useQuery(apiKeyQuery.list())
  const me = useQuery(meQuery.current()).data
  const [mayWrite, mayGovern] = [useMay('member'), useMay('admin')]
  const isOpen = me?.kind === 'local'
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<{ key: NewApiKey; isOurs: boolean }>()
  const [revokingId, setRevokingId] = useState<string>()
  const revoking = keys.data?.find((key) => key.id === revokingId)

  /** Refreshes the last use, which the dialog shows. */
  function askToRevoke(key: ApiKey) {
    setRevokingId(key.id)
    void keys.refetch()
  }

  return (
    <PageFrame
      title="API keys"
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus size={13} aria-hidden />
            New key
          </Button>
        )
      }
      status={keys.data && <span>{pluralize(keys.data.length, 'key')}</span>}
    >
      <div className="min-h-0 flex-1 overflow-auto">
        {keys.isPending && <SkeletonRows rows={6} label="Loading keys" />}
        {keys.isError && (
          <ErrorState title="Could not load keys" error={keys.error} onRetry={() => void keys.refetch()} />
        )}
        {keys.data?.length === 0 && (
          <NoKeys isOpen={isOpen} onCreate={mayWrite ? () => setCreating(true) : undefined} />
        )}
        {keys.data && keys.data.length > 0 && (
          <KeyTable
            keys={keys.data}
            mayRevoke={(key) => mayGovern || (mayWrite && [key.created_by, key.id].includes(me?.id ?? ''))}
            onRevoke={askToRevoke}
          />
        )}
      </div>
      {isCreating && (
        <CreateKeyDialog
          isFirst={isOpen}
          onClose={() => setCreating(false)}
          onCreated={(key, isOurs) => {
            setCreating(false)
            setCreated({ key, isOurs })
          }}
        />
      )}
      {created && <ShowKeyDialog created={created.key} isOurs={created.isOurs} onClose={() => setCreated(undefined)} />}
      {revoking && <RevokeDialog apiKey={revoking} onClose={() => setRevokingId(undefined)} />}
    </PageFrame>
  )
}

function NoKeys({ isOpen, onCreate }: { isOpen: boolean; onCreate: (() => void) | undefined }) {
  return (
    <EmptyState
      icon={KeyRound}
      title="No API keys yet"
      actions={
        onCreate && (
          <Button look="primary" onClick={onCreate}>
            Create key
          </Button>
        )
      }
    >
      {isOpen
        ? 'Anyone on this machine can use this server. Once you create a key, every request needs one. This browser uses the first key automatically.'
        : 'Programs need a key to send traces.'}
    </EmptyState>
  )
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const queryClient = useQueryClient()
  async function revoke() {
    onClose()
    try {
      await revokeKey(queryClient, apiKey.id)
      toast.done(`Revoked ${getKeyName(apiKey)}`)
    } catch (cause) {
      toast.failure(`Could not revoke ${getKeyName(apiKey)}`, cause)
    }
  }
  return (
    <ConfirmDialog
      title={`Revoke ${getKeyName(apiKey)}?`}
      action="Revoke"
      onCancel={onClose}
      onConfirm={() => void revoke()}
    >
      <p>
        Programs that use <code className="font-mono">{apiKey.short_key}</code> stop working at once. This cannot be
        undone.
      </p>
      {wasUsedRecently(apiKey) && (
        <p className="mt-2 font-medium text-warn">
          It was last used {formatRelativeTime(apiKey.last_used_at)}, so it is probably still in use.
        </p>
      )}
    </ConfirmDialog>
  )
}

interface KeyTableProps {
  keys: readonly ApiKey[]
  /** Members revoke their own keys, admins all. */
  mayRevoke: (key: ApiKey) => boolean
  onRevoke: (key: ApiKey) => void
}

function KeyTable({ keys, mayRevoke, onRevoke }: KeyTableProps) {
  return (
    <CardTable columns={['Name', 'Key', 'Role', 'Created', 'Last used', 'Expires']} hasActions>
      {keys.map((key) => (
        <CardRow key={key.id}>
          <td className="px-3 font-medium max-sm:w-full max-sm:p-0 max-sm:text-base">{getKeyName(key)}</td>
          <td className="px-3 font-mono text-fg-muted max-sm:p-0">{key.short_key}</td>
          <td className="px-3 max-sm:p-0">{getRoleLabel(key.role)}</td>
          <td className="px-3 max-sm:hidden">{formatAbsoluteTime(key.created_at).slice(0, -4)}</td>
          <td className="px-3 max-sm:p-0">
            {/* Phones have no column titles. */}
            <span className="sm:hidden">Last used: </span>
            {key.last_used_at ? formatRelativeTime(key.last_used_at) : 'Never'}
          </td>
          <td className="px-3 max-sm:hidden">{describeExpiry(key)}</td>
          <td className="px-3 text-right max-sm:ml-auto max-sm:p-0">
            <Button
              look="danger"
              disabled={!mayRevoke(key)}
              title={mayRevoke(key) ? undefined : 'Only admins can revoke keys of other members.'}
              onClick={() => onRevoke(key)}
              aria-label={`Revoke ${getKeyName(key)}`}
            >
              Revoke
            </Button>
          </td>
        </CardRow>
      ))}
    </CardTable>
  )
}

function getKeyName(key: ApiKey): string {
  return key.description || 'Unnamed key'
}

function describeExpiry(key: ApiKey): string {
  if (key.expires_at === null) return 'Never'
  const days = Math.ceil((Date.parse(key.expires_at) - Date.now()) / 86_400_000)
  if (days <= 0) return 'Expired'
  return days === 1 ? 'In 1 day' : `In ${days} days`
}

function wasUsedRecently(key: ApiKey): boolean {
  return key.last_used_at !== null && Date.now() - Date.parse(key.last_used_at) < 86_400_000
}
