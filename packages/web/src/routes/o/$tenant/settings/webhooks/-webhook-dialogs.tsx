import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PromptWebhook, PromptWebhookTrigger } from '@touchstone/sdk'
import { useState } from 'react'
import { webhookMutation } from '#data/prompt-webhooks.ts'
import { type HeaderLines, printHeaderLines, readHeaderLines } from '#lib/prompts/header-lines.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { Dialog, FormDialog } from '#ui/dialog.tsx'
import { FormField, TEXT_AREA, TextField } from '#ui/field.tsx'
import { toast } from '#ui/toast.tsx'
import { TRIGGER_LABELS } from './-webhook-card.tsx'
import { WebhookPrompts } from './-webhook-prompts.tsx'

const TRIGGERS = Object.keys(TRIGGER_LABELS) as PromptWebhookTrigger[]

interface WebhookDialogProps {
  /** The webhook to change; without it, a new one is created. */
  webhook?: PromptWebhook
  onSaved: (webhook: PromptWebhook) => void
  onClose: () => void
}

/** URL, events and headers of a webhook. */
export function WebhookDialog({ webhook, onSaved, onClose }: WebhookDialogProps) {
  const queryClient = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [triggers, setTriggers] = useState<readonly PromptWebhookTrigger[]>(webhook?.triggers ?? ['commit'])
  const [includePrompts, setIncluded] = useState<readonly string[]>(webhook?.include_prompts ?? [])
  const [excludePrompts, setExcluded] = useState<readonly string[]>(webhook?.exclude_prompts ?? [])
  const [headerText, setHeaderText] = useState(printHeaderLines(webhook?.headers ?? {}))
  const create = useMutation(webhookMutation.create(queryClient))
  const update = useMutation(webhookMutation.update(queryClient))
  const headers: HeaderLines = readHeaderLines(headerText)
  const isUrl = /^https?:\/\/[^/\s]+/.test(url.trim())
  function submit() {
    if ('problem' in headers) return
    const fields = { url: url.trim(), headers: headers.values, triggers, includePrompts, excludePrompts }
    const onSuccess = (saved: PromptWebhook) => {
      toast.done(webhook ? 'Saved the webhook' : 'Created the webhook')
      onSaved(saved)
    }
    if (webhook) update.mutate({ id: webhook.id, ...fields }, { onSuccess })
    else create.mutate(fields, { onSuccess })
  }
  const { isPending, error } = webhook ? update : create
  return (
    <FormDialog
      title={webhook ? 'Edit webhook' : 'New webhook'}
      action={webhook ? 'Save' : 'Create webhook'}
      errorTitle={webhook ? 'Could not save the webhook' : 'Could not create the webhook'}
      canSubmit={isUrl && triggers.length > 0 && !('problem' in headers)}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="URL"
        isCode
        type="url"
        maxLength={2000}
        placeholder="https://ci.example.com/prompts"
        value={url}
        onChange={setUrl}
        error={url !== '' && !isUrl ? 'Enter an address that begins with https:// or http://.' : undefined}
        hint={
          webhook &&
          'For an address of another origin, headers whose values are hidden are removed, and the secret changes.'
        }
      />
      <fieldset className="flex flex-col gap-1">
        <legend className="pb-1 text-row text-fg-muted">Events</legend>
        {TRIGGERS.map((trigger) => (
          <label key={trigger} className="flex items-center gap-2 text-row coarse:min-h-10">
            <input
              type="checkbox"
              checked={triggers.includes(trigger)}
              onChange={(event) =>
                setTriggers(TRIGGERS.filter((one) => (one === trigger ? event.target.checked : triggers.includes(one))))
              }
            />
            {TRIGGER_LABELS[trigger]}
          </label>
        ))}
      </fieldset>
      <WebhookPrompts
        label="Only these prompts"
        hint="Without any, events of all prompts are sent."
        ids={includePrompts}
        onChange={setIncluded}
      />
      <WebhookPrompts
        label="Never these prompts"
        hint="Events of these are not sent, whatever the list above has."
        ids={excludePrompts}
        onChange={setExcluded}
      />
      <FormField
        label="Headers"
        hint="One per line, for example: authorization: Bearer …  Values are stored encrypted and shown as ******** afterwards."
        error={'problem' in headers ? headers.problem : undefined}
      >
        {(props) => (
          <textarea
            {...props}
            rows={3}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            className={`${TEXT_AREA} font-mono`}
            value={headerText}
            onChange={(event) => setHeaderText(event.target.value)}
          />
        )}
      </FormField>
    </FormDialog>
  )
}

interface SecretDialogProps {
  url: string
  secret: string
  /** Headers that were removed because the URL has another origin. */
  cleared: readonly string[]
  onClose: () => void
}

/** Shows a signing secret, once. */
export function SecretDialog({ url, secret, cleared, onClose }: SecretDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Secret of the webhook"
      description="Copy it now. It is not shown again."
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3 text-row">
        <p className="text-fg-muted">
          Deliveries to <span className="break-all font-mono">{url}</span> are signed with it as Standard Webhooks
          describe.
        </p>
        <div className="flex items-center gap-2 rounded-control border border-border bg-sunken px-2 py-1">
          <code className="min-w-0 flex-1 break-all font-mono">{secret}</code>
          <CopyButton text={secret} label="Copy secret" />
        </div>
        {cleared.length > 0 && (
          <p role="alert">These headers were removed, because the address has another origin: {cleared.join(', ')}.</p>
        )}
      </div>
    </Dialog>
  )
}
