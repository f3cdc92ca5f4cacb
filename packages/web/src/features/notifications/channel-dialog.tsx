import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { NotificationChannel, NotificationKind } from '@touchstone/sdk'
import { useState } from 'react'
import { FormDialog } from '#ui/dialog.tsx'
import { FormField, TEXT_AREA, TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
import {
  type ChannelDraft,
  type FieldProblems,
  findProblems,
  NEW_CHANNEL,
  toChange,
  toDraft,
  toWrite,
  usesEndpoint,
} from './channel-draft.ts'
import { KIND_LABELS } from './channel-labels.ts'
import { channelMutation } from './queries.ts'

const KINDS = Object.entries(KIND_LABELS).map(([value, label]) => ({ value: value as NotificationKind, label }))

interface ChannelDialogProps {
  /** The channel to change; without it, a new one is created. */
  channel?: NotificationChannel
  /** Whether the server can send email. */
  canMail: boolean
  onSaved: (channel: NotificationChannel) => void
  onClose: () => void
}

/** Name, kind and target of a channel. */
export function ChannelDialog({ channel, canMail, onSaved, onClose }: ChannelDialogProps) {
  const queryClient = useQueryClient()
  const create = useMutation(channelMutation.create(queryClient))
  const update = useMutation(channelMutation.update(queryClient))
  const [draft, setDraft] = useState<ChannelDraft>(channel ? toDraft(channel) : NEW_CHANNEL)
  const set = (change: Partial<ChannelDraft>) => setDraft((before) => ({ ...before, ...change }))
  const problems = findProblems(draft, channel !== undefined)
  async function submit() {
    const saved = channel
      ? await update.mutateAsync({ id: channel.id, ...toChange(draft, channel) })
      : await create.mutateAsync(toWrite(draft))
    onSaved(saved)
    toast.done(channel ? 'Saved the channel' : 'Created the channel')
  }
  return (
    <FormDialog
      title={channel ? 'Edit channel' : 'New channel'}
      action={channel ? 'Save' : 'Create channel'}
      errorTitle={channel ? 'Could not save the channel' : 'Could not create the channel'}
      canSubmit={Object.keys(problems).length === 0}
      isPending={create.isPending || update.isPending}
      error={create.error ?? update.error}
      onSubmit={() => void submit().catch(() => undefined)} // shown by `error`
      onClose={onClose}
    >
      {channel === undefined && (
        <FormField label="Kind">
          {(props) => <Select {...props} options={KINDS} value={draft.kind} onChange={(kind) => set({ kind })} />}
        </FormField>
      )}
      <TextField
        label="Name"
        maxLength={200}
        placeholder="On call"
        hint="Alerts and rules choose the channel by this name."
        value={draft.name}
        onChange={(name) => set({ name })}
      />
      <TargetFields draft={draft} problems={problems} stored={channel} set={set} />
      {draft.kind === 'email' && !canMail && (
        <p role="alert" className="text-row text-warn">
          This server cannot send email yet. Its operator sets TOUCHSTONE_SMTP_URL and TOUCHSTONE_MAIL_FROM.
        </p>
      )}
    </FormDialog>
  )
}

interface FieldsProps {
  draft: ChannelDraft
  problems: FieldProblems
  stored: NotificationChannel | undefined
  set: (change: Partial<ChannelDraft>) => void
}

const URL_HINTS: Partial<Record<NotificationKind, string>> = {
  slack: 'In Slack: your app → Incoming Webhooks → Add New Webhook. It is a secret, and stored encrypted.',
  teams: 'In Teams: channel → Workflows → “Post to a channel when a webhook request is received”. Stored encrypted.',
  webhook: 'Requests are signed as Standard Webhooks describe; the secret is shown once after this.',
}

const URL_EXAMPLES: Partial<Record<NotificationKind, string>> = {
  slack: 'https://hooks.slack.com/services/…',
  teams: 'https://….logic.azure.com/workflows/…',
  webhook: 'https://ops.example.com/touchstone',
}

/** The fields of the kind. */
function TargetFields({ draft, problems, stored, set }: FieldsProps) {
  const { kind } = draft
  const typed = (field: keyof ChannelDraft) => (draft[field] === '' ? undefined : problems[field])
  const shown = stored?.config && 'url' in stored.config ? stored.config.url : undefined
  const keep = stored && 'Leave it empty to keep the stored one.'
  const secret = { isCode: true, type: 'password', autoComplete: 'off' } as const
  return (
    <>
      {(kind === 'webhook' || kind === 'slack' || kind === 'teams') && (
        <TextField
          label="URL"
          isCode
          type="url"
          maxLength={2000}
          placeholder={(kind !== 'webhook' && shown) || URL_EXAMPLES[kind]}
          value={draft.url}
          onChange={(url) => set({ url })}
          error={typed('url')}
          hint={stored === undefined ? URL_HINTS[kind] : kind === 'webhook' ? MOVE_HINT : keep}
        />
      )}
      {kind === 'webhook' && <WebhookFields draft={draft} problems={problems} set={set} />}
      {kind === 'slack_bot' && (
        <>
          <TextField
            label="Token"
            {...secret}
            placeholder="xoxb-…"
            hint={keep ?? 'Of a bot with the scope chat:write. Stored encrypted.'}
            value={draft.token}
            onChange={(token) => set({ token })}
          />
          <TextField
            label="Channel"
            placeholder="#alerts"
            hint="Invite the bot to it."
            value={draft.channel}
            onChange={(channel) => set({ channel })}
          />
        </>
      )}
      {kind === 'pagerduty' && (
        <TextField
          label="Integration key"
          {...secret}
          hint={keep ?? 'In PagerDuty: service → Integrations → Events API v2. Stored encrypted.'}
          value={draft.routingKey}
          onChange={(routingKey) => set({ routingKey })}
        />
      )}
      {usesEndpoint(kind) && (
        <TextField
          label="Endpoint (optional)"
          isCode
          type="url"
          placeholder={kind === 'pagerduty' ? 'https://events.eu.pagerduty.com/v2/enqueue' : 'https://slack.com/api'}
          hint="For another region or a gateway. The key is needed again when it changes."
          error={typed('endpoint')}
          value={draft.endpoint}
          onChange={(endpoint) => set({ endpoint })}
        />
      )}
      {kind === 'email' && (
        <FormField label="Recipients" hint="One address per line, at most 20.">
          {(props) => (
            <textarea
              {...props}
              rows={3}
              dir="ltr"
              spellCheck={false}
              className={TEXT_AREA}
              placeholder="oncall@example.com"
              value={draft.recipients}
              onChange={(event) => set({ recipients: event.target.value })}
            />
          )}
        </FormField>
      )}
    </>
  )
}

const MOVE_HINT =
  'For an address that differs in more than its query, headers whose values are hidden are removed, and the secret changes.'

const BODY_HINT =
  'A JSON object in place of ours. With "$template": true, {{title}}, {{text}}, {{severity}} and members of the notice are filled in.'

const BODY_EXAMPLE = '{"$template": true, "message": "{{title}}", "level": "{{severity}}"}'

function WebhookFields({ draft, problems, set }: Omit<FieldsProps, 'stored'>) {
  const area = {
    rows: 3,
    dir: 'ltr',
    spellCheck: false,
    autoComplete: 'off',
    className: `${TEXT_AREA} font-mono`,
  } as const
  return (
    <>
      <FormField
        label="Headers"
        hint="One per line, for example: authorization: Bearer …  Values are stored encrypted and shown as ******** afterwards."
        error={problems.headerText}
      >
        {(props) => (
          <textarea
            {...props}
            {...area}
            value={draft.headerText}
            onChange={(event) => set({ headerText: event.target.value })}
          />
        )}
      </FormField>
      <FormField label="Body (optional)" hint={BODY_HINT} error={problems.body}>
        {(props) => (
          <textarea
            {...props}
            {...area}
            placeholder={BODY_EXAMPLE}
            value={draft.body}
            onChange={(event) => set({ body: event.target.value })}
          />
        )}
      </FormField>
    </>
  )
}
