import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PromptEnvironment, WorkspaceSettings } from '@touchstone/sdk'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { workspaceMutation } from '#features/accounts/workspaces.ts'
import { describeFailure } from '#lib/errors.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { TextField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { Select } from '#ui/select.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { promptMutation, promptQuery } from './queries.ts'
import { tagNameProblem } from './tags.ts'

const HANDLE = /^[a-z][a-z0-9-_]{0,62}$/

/** Sets the public name of the workspace, once. */
export function HandleSection({ workspace }: { workspace: WorkspaceSettings }) {
  const isAdmin = useMay('admin')
  const [typed, setTyped] = useState('')
  const [isAsking, setAsking] = useState(false)
  const save = useMutation(workspaceMutation.setHandle(useQueryClient()))
  const handle = typed.trim()
  const isTaken = describeFailure(save.error).status === 409
  const problem =
    handle === '' || HANDLE.test(handle)
      ? isTaken
        ? 'Another workspace has this handle.'
        : undefined
      : 'Begin with a small letter, and use small letters, digits, “-” and “_”, at most 63.'
  if (workspace.tenant_handle !== null) return null
  return (
    <FormSection
      title="Handle"
      description="The public name of the workspace: the owner of its public prompts. It cannot be changed later."
      changes={handle === '' ? [] : [{ label: 'Handle', from: '', to: handle }]}
      isSaving={save.isPending}
      isInvalid={problem !== undefined}
      error={isTaken ? undefined : save.error}
      lockedBecause={isAdmin ? undefined : 'Only admins can set the handle.'}
      onSave={() => setAsking(true)}
      onDiscard={() => {
        setTyped('')
        save.reset()
      }}
    >
      <TextField
        label="Handle"
        isCode
        autoComplete="off"
        maxLength={63}
        placeholder="acme"
        value={typed}
        error={problem}
        onChange={(next) => {
          setTyped(next)
          save.reset()
        }}
      />
      {isAsking && (
        <ConfirmDialog
          title={`Set the handle ${handle}?`}
          action="Set handle"
          isBusy={save.isPending}
          onCancel={() => setAsking(false)}
          onConfirm={() =>
            save.mutate(handle, {
              onSuccess: () => {
                setTyped('')
                toast.done('Set the handle')
              },
              onSettled: () => setAsking(false),
            })
          }
        >
          Public prompts of this workspace are then named {handle}/…, for example {handle}/joke-writer. The handle
          cannot be changed later.
        </ConfirmDialog>
      )}
    </FormSection>
  )
}

const MOST = 4

/** Commit tags that only some roles may move. */
export function ProtectedTagsSection() {
  const { data, error, refetch } = useQuery(promptQuery.environments())
  if (error !== null && data === undefined) {
    return <ErrorState title="Could not load the protected tags" error={error} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <SkeletonRows rows={2} label="Loading protected tags" />
  return <ProtectedTags saved={data.environments} />
}

function ProtectedTags({ saved }: { saved: readonly PromptEnvironment[] }) {
  const isAdmin = useMay('admin')
  const draft = useDraft({ tags: saved }, 'protected tags')
  const save = useMutation(promptMutation.environments(useQueryClient()))
  const shown = draft.value.tags
  // What is being saved comes back before the draft ends.
  const isOvertaken = !save.isPending && draft.overtaken.length > 0
  const setTags = (tags: readonly PromptEnvironment[]) => draft.set({ tags })
  const change = (index: number, to: Partial<PromptEnvironment>) =>
    setTags(shown.map((one, at) => (at === index ? { ...one, ...to } : one)))
  const names = shown.map(({ name }) => name)
  const isInvalid = names.some((name) => name === '' || tagNameProblem(name)) || new Set(names).size < names.length
  const discard = () => {
    draft.discard()
    save.reset()
  }
  return (
    <FormSection
      title="Protected tags"
      description="Commit tags of prompts that not everybody may create, move or delete, such as production. A workspace protects one to four."
      changes={draft.changed.map(() => ({ label: 'Protected tags' }))}
      isSaving={save.isPending}
      isRestored={draft.isRestored}
      isInvalid={isInvalid || isOvertaken}
      error={isOvertaken ? undefined : save.error}
      lockedBecause={isAdmin ? undefined : 'Only admins can change protected tags.'}
      onSave={() =>
        save.mutate(
          { tags: shown, expected: draft.base.tags },
          {
            onSuccess: () => {
              draft.settle(draft.value)
              toast.done('Saved the protected tags')
            },
          },
        )
      }
      onDiscard={discard}
    >
      {isOvertaken && (
        <EditConflict
          what="the protected tags"
          fields={[{ label: 'Protected tags', theirs: printTags(saved), mine: printTags(shown) }]}
          keepLabel="Keep mine"
          onKeep={draft.keep}
          onTake={() => draft.follow(draft.overtaken)}
        />
      )}
      {shown.map((environment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position while its name is typed
        <div key={index} className="flex items-start gap-2">
          <TextField
            label={`Tag ${index + 1}`}
            isCode
            autoComplete="off"
            maxLength={200}
            className="flex-1"
            value={environment.name}
            error={
              names.indexOf(environment.name) < index
                ? 'This tag is in the list already.'
                : tagNameProblem(environment.name)
            }
            onChange={(name) => change(index, { name })}
          />
          <div className="flex flex-col gap-1 text-row">
            <span aria-hidden className="text-fg-muted">
              Who may move it
            </span>
            <Select
              aria-label={`Who may move tag ${index + 1}`}
              className="w-40"
              disabled={!isAdmin}
              value={environment.least_role}
              onChange={(least_role) => change(index, { least_role })}
              options={[
                { value: 'admin', label: 'Admins' },
                { value: 'member', label: 'Members' },
              ]}
            />
          </div>
          <IconButton
            icon={Trash2}
            label={`Remove tag ${index + 1}`}
            className="mt-5"
            disabled={shown.length === 1}
            onClick={() => setTags(shown.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {shown.length < MOST && (
        <Button className="self-start" onClick={() => setTags([...shown, { name: '', least_role: 'admin' }])}>
          <Plus size={13} aria-hidden />
          Protect another tag
        </Button>
      )}
    </FormSection>
  )
}

const printTags = (tags: readonly PromptEnvironment[]) =>
  tags.map(({ name, least_role }) => `${name}: ${least_role === 'admin' ? 'Admins' : 'Members'}`).join('\n')
