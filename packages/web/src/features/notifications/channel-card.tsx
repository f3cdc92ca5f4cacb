import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { NotificationChannel, NotificationDelivery } from '@touchstone/sdk'
import { Ellipsis, KeyRound, Pencil, Power, Trash2 } from 'lucide-react'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { ResponseText } from '#ui/response-text.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { KIND_LABELS, printTarget } from './channel-labels.ts'
import { DeliveryLog } from './delivery-log.tsx'
import { channelMutation } from './queries.ts'

/** The open dialog. */
export type ChannelDialogState =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'delete' | 'rotate'; readonly channel: NotificationChannel }
  | { readonly kind: 'secret'; readonly url: string; readonly secret: string; readonly cleared: readonly string[] }

interface ChannelCardProps {
  channel: NotificationChannel
  isAdmin: boolean
  onDialog: (dialog: ChannelDialogState) => void
}

/** One channel: where it sends to, its state, a test, and the log of its deliveries. */
export function ChannelCard({ channel, isAdmin, onDialog }: ChannelCardProps) {
  const { id, name, kind, state, state_reason: reason } = channel
  const test = useMutation(channelMutation.test(useQueryClient()))
  return (
    <article aria-label={name} className="rounded-card border border-border bg-surface">
      <header className="flex flex-wrap items-center gap-2 px-4 py-2">
        <h2 className="min-w-0 flex-1 break-words text-form font-medium">{name}</h2>
        <Button disabled={!isAdmin || test.isPending} onClick={() => test.mutate(id)}>
          {test.isPending ? 'Sending…' : 'Send a test'}
        </Button>
        {isAdmin && <Actions channel={channel} onDialog={onDialog} />}
      </header>
      <p className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-2 text-row text-fg-muted">
        <span>{KIND_LABELS[kind]}</span>
        <span className="break-all">{printTarget(channel)}</span>
      </p>
      <StateLine channel={channel} />
      {state === 'disabled' && (
        <p className="border-t border-border px-4 py-2 text-row text-warn [overflow-wrap:anywhere]">Off. {reason}</p>
      )}
      {test.isError && <ErrorState compact title="Could not send the test" error={test.error} />}
      {test.data && <TestAnswer delivery={test.data} />}
      {isAdmin && (
        <Disclosure summary="Deliveries of the last 30 days" className="border-t border-border px-4 py-1.5">
          <DeliveryLog id={id} />
        </Disclosure>
      )}
    </article>
  )
}

function Actions({ channel, onDialog }: Pick<ChannelCardProps, 'channel' | 'onDialog'>) {
  const update = useMutation(channelMutation.update(useQueryClient()))
  const isOn = channel.state === 'active'
  const toggle = () =>
    update.mutate(
      { id: channel.id, is_enabled: !isOn },
      {
        onSuccess: () => toast.done(isOn ? 'Turned the channel off' : 'Turned the channel on'),
        onError: (cause) => toast.failure('Could not change the channel', cause),
      },
    )
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${channel.name}`} />}>
      {channel.config !== null && (
        <MenuItem icon={<Pencil size={13} aria-hidden />} onSelect={() => onDialog({ kind: 'edit', channel })}>
          Edit…
        </MenuItem>
      )}
      <MenuItem icon={<Power size={13} aria-hidden />} onSelect={toggle}>
        {isOn ? 'Turn off' : 'Turn on'}
      </MenuItem>
      {channel.kind === 'webhook' && (
        <MenuItem icon={<KeyRound size={13} aria-hidden />} onSelect={() => onDialog({ kind: 'rotate', channel })}>
          Make new secret…
        </MenuItem>
      )}
      <MenuItem icon={<Trash2 size={13} aria-hidden />} danger onSelect={() => onDialog({ kind: 'delete', channel })}>
        Delete…
      </MenuItem>
    </Menu>
  )
}

const formatTime = (time: string) => formatRelativeTime(time).replace(/\.\d{3}$/, '')

/** The newest result of the channel. */
function StateLine({ channel }: { channel: NotificationChannel }) {
  const { last_success_at: success, last_failure_at: failure, last_failure: problem, failing_since: since } = channel
  if (since !== null && failure !== null) {
    return (
      <p className="px-4 pb-2 text-row text-err [overflow-wrap:anywhere]">
        Failing since <time title={formatAbsoluteTime(since)}>{formatTime(since)}</time>: {problem}
      </p>
    )
  }
  return (
    <p className="px-4 pb-2 text-row text-fg-muted">
      {success === null ? (
        'Nothing was delivered yet.'
      ) : (
        <>
          Last delivered <time title={formatAbsoluteTime(success)}>{formatTime(success)}</time>
        </>
      )}
    </p>
  )
}

/** What the receiver did with a test, as it answered. */
function TestAnswer({ delivery }: { delivery: NotificationDelivery }) {
  const { status, response_status, response_text, error } = delivery
  const isDelivered = status === 'delivered'
  return (
    <div role="status" className="flex flex-col gap-1 border-t border-border px-4 py-2 text-row">
      <p className={isDelivered ? 'text-ok' : 'text-err'}>
        {isDelivered ? `The receiver answered ${response_status}.` : (error ?? 'The test was not delivered.')}
      </p>
      {response_text && <ResponseText text={response_text} />}
    </div>
  )
}
