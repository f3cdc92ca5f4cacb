import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NotificationDelivery } from '@touchstone/sdk'
import { useState } from 'react'
import { formatAbsoluteTime, formatRelativeTime, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { ResponseText } from '#ui/response-text.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { channelMutation, channelQuery } from './queries.ts'

const STEP = 20
const MOST = 100

/** The newest deliveries of a channel. */
export function DeliveryLog({ id }: { id: string }) {
  const [limit, setLimit] = useState(STEP)
  const { data, error, refetch } = useQuery(channelQuery.deliveries(id, limit))
  if (error !== null && data === undefined) {
    return <ErrorState compact title="Could not load the deliveries" error={error} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <SkeletonRows rows={3} label="Loading deliveries" />
  if (data.deliveries.length === 0) {
    return <p className="py-1 text-row text-fg-muted">Nothing was sent yet. Send a test to see what arrives.</p>
  }
  return (
    <>
      <ol className="divide-y divide-border">
        {data.deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} />
        ))}
      </ol>
      {data.total > data.deliveries.length && limit < MOST && (
        <p className="py-2 text-center">
          <Button onClick={() => setLimit(Math.min(limit + 2 * STEP, MOST))}>
            Show more of {pluralize(data.total, 'delivery', 'deliveries')}
          </Button>
        </p>
      )}
    </>
  )
}

const STATUS = {
  pending: ['text-run', 'Pending'],
  delivered: ['text-ok', 'Delivered'],
  failed: ['text-err', 'Failed'],
} as const

const formatTime = (time: string) => formatRelativeTime(time).replace(/\.\d{3}$/, '')

function DeliveryRow({ delivery }: { delivery: NotificationDelivery }) {
  const queryClient = useQueryClient()
  const again = useMutation(channelMutation.redeliver(queryClient))
  const { title, status, attempts, created_at, next_at, error, response_text, response_status } = delivery
  const [look, label] = STATUS[status]
  return (
    <li className="flex flex-col gap-1 py-1.5 text-row">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={look}>{label}</span>
        <span className="min-w-0 flex-1 break-words">
          {delivery.is_resolved && 'Resolved: '}
          {title}
        </span>
        <span className="text-fg-muted" title={formatAbsoluteTime(created_at)}>
          {formatTime(created_at)}
        </span>
        {attempts > 1 && <span className="text-fg-muted">{pluralize(attempts, 'try', 'tries')}</span>}
        <Button
          disabled={again.isPending}
          aria-label={`Redeliver ${title} of ${formatAbsoluteTime(created_at)}`}
          onClick={() =>
            again.mutate(delivery.id, {
              onSuccess: () => toast.done('Delivering again'),
              onError: (cause) => toast.failure('Could not deliver again', cause),
            })
          }
        >
          Redeliver
        </Button>
      </div>
      {next_at !== null && attempts > 0 && (
        <p className="text-meta text-fg-muted">Next try at {formatAbsoluteTime(next_at)}</p>
      )}
      {(error ?? response_text) && (
        <Disclosure summary={error ?? `The receiver answered ${response_status}`}>
          <p className="py-1 text-meta text-fg-muted">
            Delivery <span className="break-all font-mono">{delivery.id}</span>
          </p>
          {response_text && <ResponseText text={response_text} />}
        </Disclosure>
      )}
    </li>
  )
}
