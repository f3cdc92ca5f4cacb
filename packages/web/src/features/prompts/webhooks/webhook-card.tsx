import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PromptWebhook, PromptWebhookDelivery } from '@touchstone/sdk'
import { Ellipsis, KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { formatAbsoluteTime, formatRelativeTime, pluralize } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { ResponseText } from '#ui/response-text.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { shortHash } from '../prompt-key.ts'
import { promptQuery } from '../queries.ts'
import { findLaterChange } from '../tags.ts'
import { webhookMutation, webhookQuery } from './queries.ts'

/** The open dialog. */
export type WebhookDialogState =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'delete' | 'rotate'; readonly webhook: PromptWebhook }
  | { readonly kind: 'secret'; readonly url: string; readonly secret: string; readonly cleared: readonly string[] }

/** Names of the events. */
export const TRIGGER_LABELS = {
  commit: 'New commit',
  'tag:create': 'Tag created',
  'tag:update': 'Tag moved',
  'tag:delete': 'Tag deleted',
} as const

interface WebhookCardProps {
  webhook: PromptWebhook
  isAdmin: boolean
  onDialog: (dialog: WebhookDialogState) => void
}

/** One webhook: its URL and events, a test, and the log of its deliveries. */
export function WebhookCard({ webhook, isAdmin, onDialog }: WebhookCardProps) {
  const { id, url, headers, triggers, include_prompts: included, exclude_prompts: excluded } = webhook
  const test = useMutation(webhookMutation.test())
  const names = Object.keys(headers)
  return (
    <article aria-label={url} className="rounded-card border border-border bg-surface">
      <header className="flex flex-wrap items-center gap-2 px-4 py-2">
        <h2 className="min-w-0 flex-1 break-all font-mono text-row font-medium">{url}</h2>
        <Button disabled={!isAdmin || test.isPending} onClick={() => test.mutate(webhook)}>
          {test.isPending ? 'Sending…' : 'Send test'}
        </Button>
        {isAdmin && (
          <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${url}`} />}>
            <MenuItem icon={<Pencil size={13} aria-hidden />} onSelect={() => onDialog({ kind: 'edit', webhook })}>
              Edit…
            </MenuItem>
            <MenuItem icon={<KeyRound size={13} aria-hidden />} onSelect={() => onDialog({ kind: 'rotate', webhook })}>
              Make new secret…
            </MenuItem>
            <MenuItem
              icon={<Trash2 size={13} aria-hidden />}
              danger
              onSelect={() => onDialog({ kind: 'delete', webhook })}
            >
              Delete…
            </MenuItem>
          </Menu>
        )}
      </header>
      <p className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-2 text-row text-fg-muted">
        <span>{triggers.map((trigger) => TRIGGER_LABELS[trigger] ?? trigger).join(', ')}</span>
        <span>{included.length === 0 ? 'All prompts' : pluralize(included.length, 'prompt')}</span>
        {excluded.length > 0 && <span>without {pluralize(excluded.length, 'prompt')}</span>}
        {names.length > 0 && <span className="break-all">Headers: {names.join(', ')}</span>}
      </p>
      {test.isError && <ErrorState compact title="Could not send the test" error={test.error} />}
      {test.data && <Answer answer={test.data} />}
      {isAdmin && (
        <Disclosure summary="Deliveries of the last 30 days" className="border-t border-border px-4 py-1.5">
          <DeliveryLog id={id} />
        </Disclosure>
      )}
    </article>
  )
}

type TestAnswer = Pick<PromptWebhookDelivery, 'response_status' | 'response_text' | 'error'> & { delivered: boolean }

/** What the receiver did with a test. */
function Answer({
  answer: { delivered, response_status: status, response_text: text, error },
}: {
  answer: TestAnswer
}) {
  return (
    <div role="status" className="flex flex-col gap-1 border-t border-border px-4 py-2 text-row">
      <p className={delivered ? 'text-ok' : 'text-err'}>
        {delivered ? `The receiver answered ${status}.` : (error ?? 'The test was not delivered.')}
      </p>
      {text && <ResponseText text={text} />}
    </div>
  )
}

const STEP = 20

function DeliveryLog({ id }: { id: string }) {
  const [limit, setLimit] = useState(STEP)
  const { data, error, refetch } = useQuery(webhookQuery.deliveries(id, limit))
  if (error !== null && data === undefined) {
    return <ErrorState compact title="Could not load the deliveries" error={error} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <SkeletonRows rows={3} label="Loading deliveries" />
  if (data.deliveries.length === 0) return <p className="py-1 text-row text-fg-muted">Nothing was delivered yet.</p>
  return (
    <>
      <ol className="divide-y divide-border">
        {data.deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} webhookId={id} delivery={delivery} />
        ))}
      </ol>
      {data.total > data.deliveries.length && limit < 100 && (
        <p className="py-2 text-center">
          <Button onClick={() => setLimit(Math.min(limit + 40, 100))}>
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

function DeliveryRow({ webhookId, delivery }: { webhookId: string; delivery: PromptWebhookDelivery }) {
  const queryClient = useQueryClient()
  const again = useMutation(webhookMutation.redeliver(queryClient, webhookId))
  const [change, setChange] = useState<string>()
  const [look, label] = STATUS[delivery.status]
  const tag = delivery.tag_name === null ? '' : ` ${delivery.tag_name}`
  function redeliver() {
    setChange(undefined)
    again.mutate(delivery.id, {
      onSuccess: () => toast.done('Delivering again'),
      onError: (cause) => toast.failure('Could not deliver again', cause),
    })
  }
  async function ask() {
    if (delivery.tag_name === null) return redeliver()
    const query = promptQuery.commitTags({ owner: '-', repo: delivery.prompt_name })
    // Without the tags, the server tells what is wrong with the prompt.
    const tags = await queryClient.fetchQuery(query).catch(() => undefined)
    const found = tags && findLaterChange(delivery, tags)
    if (found === undefined) redeliver()
    else setChange(found)
  }
  const isGone = describeFailure(again.error).status === 404
  return (
    <li className="flex flex-col gap-1 py-1.5 text-row">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={look}>{label}</span>
        <span>
          {TRIGGER_LABELS[delivery.event]}
          {tag}
        </span>
        <span className="min-w-0 truncate">
          {delivery.prompt_name} <span className="font-mono text-fg-muted">{shortHash(delivery.commit_hash)}</span>
        </span>
        <span className="text-fg-muted" title={formatAbsoluteTime(delivery.created_at)}>
          {formatRelativeTime(delivery.created_at).replace(/\.\d{3}$/, '')}
        </span>
        {delivery.attempts > 1 && <span className="text-fg-muted">{pluralize(delivery.attempts, 'attempt')}</span>}
        <Button
          className="ml-auto"
          disabled={again.isPending}
          aria-label={`Redeliver ${TRIGGER_LABELS[delivery.event]}${tag} of ${delivery.prompt_name}`}
          onClick={() => void ask()}
        >
          Redeliver
        </Button>
      </div>
      {change !== undefined && (
        <ConfirmDialog
          title="Redeliver an old event?"
          action="Redeliver"
          onConfirm={redeliver}
          onCancel={() => setChange(undefined)}
        >
          {change} A receiver that deploys what an event names would go back to commit {shortHash(delivery.commit_hash)}
          .
        </ConfirmDialog>
      )}
      {isGone && <p className="text-fg-muted">The prompt or its commit was deleted.</p>}
      {(delivery.error ?? delivery.response_text) && (
        <Disclosure summary={delivery.error ?? `The receiver answered ${delivery.response_status}`}>
          <p className="py-1 text-meta text-fg-muted">
            Delivery <span className="font-mono">{delivery.id}</span>
          </p>
          {delivery.response_text && <ResponseText text={delivery.response_text} />}
        </Disclosure>
      )}
    </li>
  )
}
