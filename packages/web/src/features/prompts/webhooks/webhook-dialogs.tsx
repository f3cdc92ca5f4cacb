import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PromptWebhook, PromptWebhookTrigger } from '@touchstone/sdk'
import { useState } from 'react'
import { changesOf } from '#lib/changes.ts'
import { type HeaderLines, printHeaderLines, readHeaderLines } from '#lib/header-lines.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { FormField, TEXT_AREA, TextField } from '#ui/field.tsx'
import { toast } from '#ui/toast.tsx'
import { useEdit } from '#ui/use-edit.tsx'
import { promptQuery } from '../queries.ts'
import { readWebhook, type WebhookFields, webhookMutation } from './queries.ts'
import { TRIGGER_LABELS } from './webhook-card.tsx'
import { WebhookPrompts } from './webhook-prompts.tsx'

const TRIGGERS = Object.keys(TRIGGER_LABELS) as PromptWebhookTrigger[]

interface WebhookDialogProps {
  /** The webhook to change; without it, a new one is created. */
  webhook?: PromptWebhook
  onSaved: (webhook: PromptWebhook) => void
  onClose: () => void
}

interface WebhookDraft {
  url: string
  triggers: readonly PromptWebhookTrigger[]
  includePrompts: readonly string[]
  excludePrompts: readonly string[]
  /** One per line; the values of stored ones are hidden. */
  headerText: string
}

const LABELS: Record<keyof WebhookDraft, string> = {
  url: 'URL',
  triggers: 'Events',
  includePrompts: 'Only these prompts',
  excludePrompts: 'Never these prompts',
  headerText: 'Headers',
}

const NEW_WEBHOOK: WebhookDraft = {
  url: '',
  triggers: ['commit'],
  includePrompts: [],
  excludePrompts: [],
  headerText: '',
}

function toDraft({ url, triggers, include_prompts, exclude_prompts, headers }: PromptWebhook): WebhookDraft {
  return {
    url,
    triggers,
    includePrompts: include_prompts,
    excludePrompts: exclude_prompts,
    headerText: printHeaderLines(headers),
  }
}

/** The request; without headers while their lines have a mistake, which is not submitted. */
function toFields({ headerText, url, ...fields }: WebhookDraft): WebhookFields {
  const headers = readHeaderLines(headerText)
  return { ...fields, url: url.trim(), headers: 'values' in headers ? headers.values : {} }
}

/** URL, events and headers of a webhook. */
export function WebhookDialog({ webhook, onSaved, onClose }: WebhookDialogProps) {
  const queryClient = useQueryClient()
  const create = useMutation(webhookMutation.create(queryClient))
  const update = useMutation(webhookMutation.update(queryClient))
  const { data: prompts = [] } = useQuery(promptQuery.names())
  const printPrompts = (ids: readonly string[]) =>
    ids.map((id) => prompts.find((prompt) => prompt.id === id)?.name ?? id).join('\n')
  // The address that the user has seen: headers may hold secrets, which are not sent to another one unseen.
  const [seenUrl, setSeenUrl] = useState(webhook?.url)
  const edit = useEdit({
    what: 'this webhook',
    labels: LABELS,
    print: {
      triggers: (triggers) => triggers.map((trigger) => TRIGGER_LABELS[trigger]).join('\n'),
      includePrompts: printPrompts,
      excludePrompts: printPrompts,
    },
    stored: webhook,
    toDraft,
    start: NEW_WEBHOOK,
    read: () => readWebhook(webhook?.id ?? ''),
    save: async (draft, base) => {
      const fields = toFields(draft)
      if (base === undefined) onSaved(await create.mutateAsync(fields))
      else {
        const stored = toFields(toDraft(base))
        const { changes, expected } = changesOf(fields, stored, stored)
        const givesHeaders = changes.headers !== undefined && changes.url === undefined
        if (givesHeaders && base.url !== seenUrl) {
          setSeenUrl(base.url)
          throw new Error('The URL was changed elsewhere meanwhile. Check where the headers are sent, then save again.')
        }
        const url = givesHeaders ? { url: base.url } : {}
        onSaved(await update.mutateAsync({ id: base.id, ...changes, expected: { ...expected, ...url } }))
      }
      toast.done(webhook ? 'Saved the webhook' : 'Created the webhook')
    },
  })
  const { url, triggers, includePrompts, excludePrompts, headerText } = edit.value
  const headers: HeaderLines = readHeaderLines(headerText)
  const isUrl = /^https?:\/\/[^/\s]+/.test(url.trim())
  function submit() {
    if (!('problem' in headers)) void edit.submit()
  }
  return (
    <FormDialog
      title={webhook ? 'Edit webhook' : 'New webhook'}
      action={webhook ? 'Save' : 'Create webhook'}
      errorTitle={webhook ? 'Could not save the webhook' : 'Could not create the webhook'}
      canSubmit={!edit.isOvertaken && isUrl && triggers.length > 0 && !('problem' in headers)}
      isPending={edit.isPending}
      error={edit.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {edit.conflict}
      <TextField
        label="URL"
        isCode
        type="url"
        maxLength={2000}
        placeholder="https://ci.example.com/prompts"
        value={url}
        onChange={(typed) => edit.set({ url: typed })}
        error={url !== '' && !isUrl ? 'Enter an address that begins with https:// or http://.' : undefined}
        hint={
          webhook &&
          'For an address that differs in more than its query, headers whose values are hidden are removed, and the secret changes.'
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
                edit.set({
                  triggers: TRIGGERS.filter((one) => (one === trigger ? event.target.checked : triggers.includes(one))),
                })
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
        onChange={(ids) => edit.set({ includePrompts: ids })}
      />
      <WebhookPrompts
        label="Never these prompts"
        hint="Events of these are not sent, whatever the list above has."
        ids={excludePrompts}
        onChange={(ids) => edit.set({ excludePrompts: ids })}
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
            onChange={(event) => edit.set({ headerText: event.target.value })}
          />
        )}
      </FormField>
    </FormDialog>
  )
}
