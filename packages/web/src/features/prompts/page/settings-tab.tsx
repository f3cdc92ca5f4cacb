import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useMay, workspaceQuery } from '#features/accounts/me.ts'
import { RoleGate } from '#features/accounts/role-gate.tsx'
import { formatAbsoluteTime } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { DeleteDialog } from '#ui/delete-dialog.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { DraftConflict } from '#ui/edit-conflict.tsx'
import { CONTROL, FormField, TextField } from '#ui/field.tsx'
import { DangerZone, FormSection } from '#ui/form-section.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { promptMutation } from '../queries.ts'
import type { PromptTabProps } from './prompt-page.tsx'

/** Description, tags, visibility, archive and deletion of a prompt. */
export function SettingsTab(props: PromptTabProps) {
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-auto p-3 sm:p-6">
      <div className="flex max-w-4xl flex-col gap-4">
        <RoleGate least="member">
          <General {...props} />
          <Facts {...props} />
          <VisibilitySection {...props} />
          <ArchiveSection {...props} />
          <DeleteSection {...props} />
        </RoleGate>
      </div>
    </div>
  )
}

const splitTags = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

function General({ prompt, repo }: PromptTabProps) {
  const mayWrite = useMay('member')
  const saved = { description: repo.description ?? '', tags: repo.tags.join(', ') }
  const draft = useDraft(saved, `prompt ${repo.id}`)
  const save = useMutation(promptMutation.update(useQueryClient(), prompt))
  const LABELS = { description: 'Description', tags: 'Tags' } as const
  // What is being saved comes back before the draft ends.
  const overtaken = save.isPending ? [] : draft.overtaken
  return (
    <FormSection
      title="General"
      description="The name of a prompt cannot be changed, because programs pull it by name."
      changes={draft.changed.map((field) => ({ label: LABELS[field], from: saved[field], to: draft.value[field] }))}
      isSaving={save.isPending}
      isInvalid={overtaken.length > 0}
      error={overtaken.length > 0 ? undefined : save.error}
      isRestored={draft.isRestored}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={() =>
        save.mutate(
          {
            ...(draft.changed.includes('description') && { description: draft.value.description }),
            ...(draft.changed.includes('tags') && { tags: splitTags(draft.value.tags) }),
            expected: {
              ...(draft.changed.includes('description') && { description: draft.base.description }),
              ...(draft.changed.includes('tags') && { tags: splitTags(draft.base.tags) }),
            },
          },
          {
            onSuccess: () => {
              draft.settle(draft.value)
              toast.done('Saved the prompt')
            },
          },
        )
      }
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      {overtaken.length > 0 && <DraftConflict what="this prompt" labels={LABELS} draft={draft} saved={saved} />}
      <FormField label="Description">
        {(props) => (
          <textarea
            {...props}
            dir="auto"
            rows={3}
            maxLength={2000}
            className={`${CONTROL} !h-auto resize-y py-1.5`}
            value={draft.value.description}
            onChange={(event) => draft.set({ description: event.target.value })}
          />
        )}
      </FormField>
      <TextField
        label="Tags"
        hint="Separated by commas. Lists of prompts can be filtered by them. Commit tags such as production are set in Commits."
        autoComplete="off"
        value={draft.value.tags}
        onChange={(tags) => draft.set({ tags })}
      />
    </FormSection>
  )
}

function Facts({ repo }: PromptTabProps) {
  const facts: (readonly [string, ReactNode])[] = [
    ['ID', <CopyableId key="id" id={repo.id} />],
    [
      'Created',
      `${formatAbsoluteTime(repo.created_at).slice(0, -4)}${repo.created_by ? ` by ${repo.created_by}` : ''}`,
    ],
    ['Source', repo.source],
    ['Restricted', repo.restricted_mode ? 'Yes' : undefined],
    ['Forked from', repo.upstream_repo_full_name],
    ['Original', repo.original_repo_full_name],
  ]
  return (
    <section aria-label="Facts" className="rounded-card border border-border bg-surface">
      <dl className="divide-y divide-border">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name} className="flex min-h-10 flex-wrap items-center gap-x-4 px-4 py-1.5 text-row">
                <dt className="w-24 text-fg-muted">{name}</dt>
                <dd className="flex min-w-0 flex-1 items-center gap-2 [overflow-wrap:anywhere]">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}

function CopyableId({ id }: { id: string }) {
  return (
    <>
      <span className="font-mono">{id}</span>
      <CopyButton text={id} label="Copy ID" iconOnly />
    </>
  )
}

interface ActionSectionProps {
  title: string
  text: ReactNode
  action: ReactNode
}

function ActionSection({ title, text, action }: ActionSectionProps) {
  return (
    <section aria-label={title} className="rounded-card border border-border bg-surface">
      <h2 className="px-4 pt-3 text-form font-semibold">{title}</h2>
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <p className="min-w-56 flex-1 text-row text-fg-muted">{text}</p>
        {action}
      </div>
    </section>
  )
}

/** Opens the prompt to everyone, or closes it. */
function VisibilitySection({ tenant, prompt, repo }: PromptTabProps) {
  const mayWrite = useMay('member')
  const mayPublish = useMay('admin')
  const handle = useQuery(workspaceQuery.current()).data?.tenant_handle
  const [isAsking, setAsking] = useState(false)
  const save = useMutation(promptMutation.update(useQueryClient(), prompt))
  const isLocked = !mayWrite || (!repo.is_public && (!handle || !mayPublish))
  const why = mayWrite ? 'Only admins make prompts public.' : READ_ONLY
  const isAllowed = repo.is_public ? mayWrite : mayPublish
  function submit() {
    save.mutate(
      { isPublic: !repo.is_public },
      {
        onSuccess: () => toast.done(repo.is_public ? 'The prompt is private' : 'The prompt is public'),
        onError: (cause) => toast.failure('Could not change the visibility', cause),
        onSettled: () => setAsking(false),
      },
    )
  }
  return (
    <>
      <ActionSection
        title="Visibility"
        text={
          repo.is_public ? (
            'Everyone who can reach this server can read the prompt with all its commits, without a key.'
          ) : handle === null ? (
            <>
              Only members of the workspace can read the prompt. A public prompt needs a handle of the workspace, which
              is set in{' '}
              <Link to="/o/$tenant/settings/workspace" params={{ tenant }} className="text-accent underline">
                Settings
              </Link>
              .
            </>
          ) : (
            'Only members of the workspace can read the prompt.'
          )
        }
        action={
          <Button disabled={isLocked} title={isAllowed ? undefined : why} onClick={() => setAsking(true)}>
            {repo.is_public ? 'Make private' : 'Make public'}
          </Button>
        }
      />
      {isAsking && (
        <ConfirmDialog
          title={repo.is_public ? 'Make this prompt private?' : 'Make this prompt public?'}
          action={repo.is_public ? 'Make private' : 'Make public'}
          isBusy={save.isPending}
          onCancel={() => setAsking(false)}
          onConfirm={submit}
        >
          {repo.is_public
            ? `Programs of other workspaces that pull ${handle}/${prompt.repo} stop working. Forks stay.`
            : `Everyone who can reach this server can then read all commits as ${handle}/${prompt.repo}, also without a key.`}
        </ConfirmDialog>
      )}
    </>
  )
}

function ArchiveSection({ prompt, repo }: PromptTabProps) {
  const mayWrite = useMay('member')
  const save = useMutation(promptMutation.update(useQueryClient(), prompt))
  return (
    <ActionSection
      title="Archive"
      text="An archived prompt is left out of lists. Programs can still pull it and push to it."
      action={
        <Button
          disabled={!mayWrite || save.isPending}
          title={mayWrite ? undefined : READ_ONLY}
          onClick={() =>
            save.mutate(
              { isArchived: !repo.is_archived },
              {
                onSuccess: () => toast.done(repo.is_archived ? 'Restored the prompt' : 'Archived the prompt'),
                onError: (cause) => toast.failure('Could not change the prompt', cause),
              },
            )
          }
        >
          {repo.is_archived ? 'Restore from archive' : 'Archive'}
        </Button>
      }
    />
  )
}

function DeleteSection({ tenant, prompt }: PromptTabProps) {
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const { mutate, isPending } = useMutation(promptMutation.delete(useQueryClient()))
  return (
    <DangerZone
      explanation="Deletes the prompt with its commits, tags and likes. Programs that pull it fail. This cannot be undone."
      label="Delete prompt"
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      dialog={(close) => (
        <DeleteDialog
          name={prompt.repo}
          noun="prompt"
          isPending={isPending}
          remove={(callbacks) => mutate(prompt, callbacks)}
          onClose={close}
          onDeleted={() => void navigate({ to: '/o/$tenant/prompts', params: { tenant } })}
        >
          This deletes all commits and tags. Runs that used the prompt stay. Programs that pull it fail. This cannot be
          undone.
        </DeleteDialog>
      )}
    />
  )
}
