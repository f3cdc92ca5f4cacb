import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { WorkspaceSettings } from '@touchstone/sdk'
import { meQuery, useMay, workspaceQuery } from '#features/accounts/me.ts'
import { RoleGate } from '#features/accounts/role-gate.tsx'
import { workspaceMutation, workspacesQuery } from '#features/accounts/workspaces.ts'
import { HandleSection, ProtectedTagsSection } from '#features/prompts/prompt-settings.tsx'
import { cx } from '#lib/browser.ts'
import { formatAbsoluteTime } from '#lib/format.ts'
import { getRoleLabel } from '#lib/roles.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { DraftConflict } from '#ui/edit-conflict.tsx'
import { TextField } from '#ui/field.tsx'
import { DangerZone, FormSection } from '#ui/form-section.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'

/** Name and ids of the workspace, and its deletion. */
export function WorkspacePage() {
  const workspace = useQuery(workspaceQuery.current())
  const me = useQuery(meQuery.current())
  return (
    <PageFrame title="Workspace">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its fields may all be disabled, and it must scroll by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto p-3 outline-offset-[-2px] sm:p-6">
        {workspace.isPending && <SkeletonRows rows={4} label="Loading workspace" />}
        {workspace.isError && (
          <ErrorState
            title="Could not load the workspace"
            error={workspace.error}
            onRetry={() => void workspace.refetch()}
          />
        )}
        {workspace.data && (
          <div className="flex max-w-4xl flex-col gap-4">
            <RoleGate least="admin">
              <General workspace={workspace.data} />
              <HandleSection workspace={workspace.data} />
              <ProtectedTagsSection />
              <Facts workspace={workspace.data} role={me.data && getRoleLabel(me.data.role)} />
              <DeleteWorkspace workspace={workspace.data} />
            </RoleGate>
          </div>
        )}
      </div>
    </PageFrame>
  )
}

function General({ workspace }: { workspace: WorkspaceSettings }) {
  const mayRename = useMay('admin')
  const draft = useDraft({ name: workspace.display_name }, 'name of the workspace')
  const rename = workspaceMutation.rename(useQueryClient())
  const save = useMutation({
    ...rename,
    onSuccess: () => {
      toast.done('Saved workspace')
      return rename.onSuccess()
    },
  })
  const name = draft.value.name.trim()
  // What is being saved comes back before the draft ends.
  const overtaken = save.isPending ? [] : draft.overtaken
  return (
    <FormSection
      title="General"
      changes={draft.changed.map(() => ({ label: 'Name', from: workspace.display_name, to: name }))}
      isSaving={save.isPending}
      isRestored={draft.isRestored}
      isInvalid={name === '' || overtaken.length > 0}
      error={overtaken.length > 0 ? undefined : save.error}
      lockedBecause={mayRename ? undefined : 'Only admins can rename the workspace.'}
      onSave={() =>
        save.mutate({ name, expectedName: draft.base.name }, { onSuccess: () => draft.settle(draft.value) })
      }
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      {overtaken.length > 0 && (
        <DraftConflict
          what="this workspace"
          labels={{ name: 'Name' }}
          draft={draft}
          saved={{ name: workspace.display_name }}
        />
      )}
      <TextField
        label="Name"
        error={name === '' ? 'Enter a name.' : undefined}
        maxLength={200}
        value={draft.value.name}
        onChange={(typed) => draft.set({ name: typed })}
      />
    </FormSection>
  )
}

/** Facts in a monospaced font. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['ID', 'Handle'])

function Facts({ workspace, role }: { workspace: WorkspaceSettings; role: string | undefined }) {
  const facts = [
    ['ID', workspace.id],
    ['Handle', workspace.tenant_handle],
    ['Your role', role],
    ['Created', formatAbsoluteTime(workspace.created_at).slice(0, -4)],
  ] as const
  return (
    <section aria-label="Facts" className="rounded-card border border-border bg-surface">
      <dl className="divide-y divide-border">
        {facts.map(([name, value]) => (
          <div key={name} className="flex min-h-10 flex-wrap items-center gap-x-4 px-4 py-1.5 text-row">
            <dt className="w-24 text-fg-muted">{name}</dt>
            <dd
              className={cx(
                'flex min-w-0 flex-1 items-center gap-2',
                IDENTIFIERS.has(name) && value && 'break-all font-mono',
              )}
            >
              {value ??
                (name === 'Handle' && (
                  <span className="text-fg-muted">Not set. Public prompts use it as their owner.</span>
                ))}
              {name === 'ID' && <CopyButton text={workspace.id} label="Copy ID" iconOnly />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Deletes the workspace and continues in another one. */
function DeleteWorkspace({ workspace }: { workspace: WorkspaceSettings }) {
  const isAdmin = useMay('admin')
  const isServerAdmin = useQuery(meQuery.current()).data?.is_server_admin === true
  const listed = useQuery(workspacesQuery.list())
  const next = listed.data?.find(({ id }) => id !== workspace.id)
  const isOnlyOne = isServerAdmin && listed.data !== undefined && next === undefined
  const remove = useMutation({
    ...workspaceMutation.delete(),
    // The client keeps one workspace per page load, so the page reloads.
    onSuccess: () => location.assign(next === undefined ? '/' : `/o/${next.id}`),
    onError: (cause) => toast.failure(`Could not delete ${workspace.display_name}`, cause),
  })
  const lockedBecause = !isAdmin
    ? 'Only admins can delete the workspace.'
    : isOnlyOne
      ? 'This is your only workspace. Create another one first.'
      : undefined
  return (
    <DangerZone
      explanation={
        <>
          Deletes the workspace for all members, with its projects, traces, datasets, prompts, keys and public links.
          This cannot be undone.
          {lockedBecause !== undefined && <span className="mt-1 block text-fg">{lockedBecause}</span>}
        </>
      }
      label="Delete this workspace"
      lockedBecause={lockedBecause}
      dialog={(close) => (
        <ConfirmDialog
          title={`Delete ${workspace.display_name}?`}
          action="Delete workspace"
          typed={workspace.display_name}
          isBusy={remove.isPending}
          onCancel={close}
          onConfirm={() => remove.mutate(workspace.id, { onError: close })}
        >
          This deletes all projects, traces, datasets, prompts, queues and dashboards. Keys and public links stop
          working at once. Members without another workspace lose their account. Existing backups keep a copy.
        </ConfirmDialog>
      )}
    />
  )
}
