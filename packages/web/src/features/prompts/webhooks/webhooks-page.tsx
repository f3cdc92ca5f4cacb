import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PromptWebhook } from '@touchstone/sdk'
import { Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { SigningSecretDialog } from '#ui/signing-secret-dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { webhookMutation, webhookQuery } from './queries.ts'
import { WebhookCard, type WebhookDialogState } from './webhook-card.tsx'
import { WebhookDialog } from './webhook-dialogs.tsx'

const ADMINS_ONLY = 'Only admins can change webhooks.'

/** URLs that are called when prompts change, with what was delivered to each. */
export function WebhooksPage() {
  const isAdmin = useMay('admin')
  const { data: webhooks, error, isPending, refetch } = useQuery(webhookQuery.list())
  const [dialog, setDialog] = useState<WebhookDialogState>()
  const create = (
    <Button
      look="primary"
      disabled={!isAdmin}
      title={isAdmin ? undefined : ADMINS_ONLY}
      onClick={() => setDialog({ kind: 'create' })}
    >
      <Plus size={13} aria-hidden />
      New webhook
    </Button>
  )
  return (
    <PageFrame
      title="Webhooks"
      actions={create}
      status={webhooks && <span role="status">{pluralize(webhooks.length, 'webhook')}</span>}
    >
      <div className="min-h-0 flex-1 overflow-auto p-3 sm:p-6">
        {isPending && <SkeletonRows rows={4} label="Loading webhooks" />}
        {error !== null && webhooks === undefined && (
          <ErrorState title="Could not load the webhooks" error={error} onRetry={() => void refetch()} />
        )}
        {webhooks?.length === 0 && (
          <EmptyState icon={Webhook} title="No webhooks yet" actions={create}>
            A webhook calls a URL when a prompt gets a commit or a tag moves, for example to start tests or a
            deployment. Deliveries are signed and retried.
          </EmptyState>
        )}
        <div className="flex max-w-4xl flex-col gap-4">
          {webhooks?.map((webhook) => (
            <WebhookCard key={webhook.id} webhook={webhook} isAdmin={isAdmin} onDialog={setDialog} />
          ))}
        </div>
      </div>
      {dialog && <Dialogs dialog={dialog} onDialog={setDialog} />}
    </PageFrame>
  )
}

interface DialogsProps {
  dialog: WebhookDialogState
  onDialog: (dialog: WebhookDialogState | undefined) => void
}

function Dialogs({ dialog, onDialog }: DialogsProps) {
  const close = () => onDialog(undefined)
  /** A new secret is shown once. */
  const finish = ({ url, secret, cleared_headers: cleared }: PromptWebhook) =>
    onDialog(secret === null ? undefined : { kind: 'secret', url, secret, cleared })
  if (dialog.kind === 'create') return <WebhookDialog onSaved={finish} onClose={close} />
  if (dialog.kind === 'secret') return <SigningSecretDialog {...dialog} onClose={close} />
  if (dialog.kind === 'edit') return <WebhookDialog webhook={dialog.webhook} onSaved={finish} onClose={close} />
  return <ConfirmWebhook kind={dialog.kind} webhook={dialog.webhook} onRotated={finish} onClose={close} />
}

interface ConfirmWebhookProps {
  kind: 'delete' | 'rotate'
  webhook: PromptWebhook
  onRotated: (webhook: PromptWebhook) => void
  onClose: () => void
}

function ConfirmWebhook({ kind, webhook, onRotated, onClose }: ConfirmWebhookProps) {
  const queryClient = useQueryClient()
  const remove = useMutation(webhookMutation.delete(queryClient))
  const rotate = useMutation(webhookMutation.rotate(queryClient))
  if (kind === 'rotate') {
    return (
      <ConfirmDialog
        title="Make a new secret?"
        action="Make new secret"
        isBusy={rotate.isPending}
        onCancel={onClose}
        onConfirm={() =>
          rotate.mutate(webhook.id, {
            onSuccess: onRotated,
            onError: (cause) => toast.failure('Could not make a new secret', cause),
          })
        }
      >
        Deliveries are signed with the new secret from now on. The receiver refuses them until it knows the secret.
      </ConfirmDialog>
    )
  }
  return (
    <ConfirmDialog
      title="Delete this webhook?"
      action="Delete webhook"
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(webhook.id, {
          onSuccess: () => {
            onClose()
            toast.done('Deleted the webhook')
          },
          onError: (cause) => toast.failure('Could not delete the webhook', cause),
        })
      }
    >
      <span className="break-all font-mono text-row">{webhook.url}</span> is no longer called. The list of its
      deliveries is deleted too.
    </ConfirmDialog>
  )
}
