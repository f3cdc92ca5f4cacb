import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NotificationChannel } from '@touchstone/sdk'
import { Bell, Plus } from 'lucide-react'
import { useState } from 'react'
import { pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { SigningSecretDialog } from '#ui/signing-secret-dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { ChannelCard, type ChannelDialogState } from './channel-card.tsx'
import { ChannelDialog } from './channel-dialog.tsx'
import { channelMutation, channelQuery } from './queries.ts'

const ADMINS_ONLY = 'Only admins can change channels.'

/** Where notices are sent, with the state and the deliveries of each channel. */
export function ChannelsPage({ isAdmin }: { isAdmin: boolean }) {
  const { data, error, isPending, refetch } = useQuery(channelQuery.list())
  const [dialog, setDialog] = useState<ChannelDialogState>()
  const channels = data?.channels
  const create = (
    <Button
      look="primary"
      disabled={!isAdmin}
      title={isAdmin ? undefined : ADMINS_ONLY}
      onClick={() => setDialog({ kind: 'create' })}
    >
      <Plus size={13} aria-hidden />
      New channel
    </Button>
  )
  return (
    <PageFrame
      title="Notification channels"
      actions={create}
      status={channels && <span role="status">{pluralize(channels.length, 'channel')}</span>}
    >
      <div className="min-h-0 flex-1 overflow-auto p-3 sm:p-6">
        {isPending && <SkeletonRows rows={4} label="Loading channels" />}
        {error !== null && channels === undefined && (
          <ErrorState title="Could not load the channels" error={error} onRetry={() => void refetch()} />
        )}
        {channels?.length === 0 && (
          <EmptyState icon={Bell} title="No notification channels yet" actions={create}>
            A channel is where alerts, rules and budgets tell your team: Slack, Microsoft Teams, PagerDuty, email or a
            signed webhook. Create one, send a test, then choose it in an alert.
          </EmptyState>
        )}
        <div className="flex max-w-4xl flex-col gap-4">
          {channels?.map((channel) => (
            <ChannelCard key={channel.id} channel={channel} isAdmin={isAdmin} onDialog={setDialog} />
          ))}
        </div>
      </div>
      {dialog && <Dialogs dialog={dialog} canMail={data?.can_mail ?? true} onDialog={setDialog} />}
    </PageFrame>
  )
}

interface DialogsProps {
  dialog: ChannelDialogState
  canMail: boolean
  onDialog: (dialog: ChannelDialogState | undefined) => void
}

function Dialogs({ dialog, canMail, onDialog }: DialogsProps) {
  const close = () => onDialog(undefined)
  /** A new secret is shown once. */
  const finish = ({ config, signing_secret: secret, cleared_headers: cleared }: NotificationChannel) =>
    onDialog(
      secret === null || config?.kind !== 'webhook' ? undefined : { kind: 'secret', url: config.url, secret, cleared },
    )
  if (dialog.kind === 'create') return <ChannelDialog canMail={canMail} onSaved={finish} onClose={close} />
  if (dialog.kind === 'secret') return <SigningSecretDialog {...dialog} onClose={close} />
  if (dialog.kind === 'edit') {
    return <ChannelDialog channel={dialog.channel} canMail={canMail} onSaved={finish} onClose={close} />
  }
  return <ConfirmChannel kind={dialog.kind} channel={dialog.channel} onRotated={finish} onClose={close} />
}

interface ConfirmChannelProps {
  kind: 'delete' | 'rotate'
  channel: NotificationChannel
  onRotated: (channel: NotificationChannel) => void
  onClose: () => void
}

function ConfirmChannel({ kind, channel, onRotated, onClose }: ConfirmChannelProps) {
  const queryClient = useQueryClient()
  const remove = useMutation(channelMutation.delete(queryClient))
  const update = useMutation(channelMutation.update(queryClient))
  if (kind === 'rotate') {
    return (
      <ConfirmDialog
        title="Make a new secret?"
        action="Make new secret"
        isBusy={update.isPending}
        onCancel={onClose}
        onConfirm={() =>
          update.mutate(
            { id: channel.id, rotate_secret: true },
            { onSuccess: onRotated, onError: (cause) => toast.failure('Could not make a new secret', cause) },
          )
        }
      >
        Requests are signed with the new secret from now on. The receiver refuses them until it knows the secret.
      </ConfirmDialog>
    )
  }
  return (
    <ConfirmDialog
      title="Delete this channel?"
      action="Delete channel"
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(channel.id, {
          onSuccess: () => {
            onClose()
            toast.done('Deleted the channel')
          },
          onError: (cause) => toast.failure('Could not delete the channel', cause),
        })
      }
    >
      Nothing is sent to “{channel.name}” any more, also not by alerts and rules that name it. The list of its
      deliveries is deleted too.
    </ConfirmDialog>
  )
}
