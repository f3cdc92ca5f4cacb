import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useMay } from '#features/accounts/me.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { DraftConflict } from '#ui/edit-conflict.tsx'
import { TextField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { threadKeysText, validateThreadKeys, withThreadKeys } from '../projects.ts'
import { projectMutation, refreshProjects } from '../queries.ts'

/** Metadata keys that group traces into threads, the most important first. */
export function ThreadsSection({ project }: { project: Project }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const saved = { keys: threadKeysText(project) }
  const draft = useDraft(saved, `threads of project ${project.id}`)
  const save = useMutation({ ...projectMutation.changeSetting(), onSettled: () => refreshProjects(queryClient) })
  const { keys } = draft.value
  // What is being saved comes back before the draft ends.
  const overtaken = save.isPending ? [] : draft.overtaken
  const problem = validateThreadKeys(keys)
  return (
    <FormSection
      title="Threads"
      changes={draft.changed.map(() => ({ label: 'Metadata keys', from: saved.keys, to: keys || 'Default keys' }))}
      isSaving={save.isPending}
      isRestored={draft.isRestored}
      isInvalid={problem !== undefined || overtaken.length > 0}
      error={overtaken.length > 0 ? undefined : save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={() =>
        save.mutate(
          { project, toExtra: (base) => withThreadKeys(base, keys), read: threadKeysText },
          {
            onSuccess: () => {
              draft.settle(draft.value)
              toast.done('Saved the thread keys')
              void queryClient.invalidateQueries({ queryKey: queryKeys.threadsOfProject(project.id) })
            },
          },
        )
      }
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      {overtaken.length > 0 && (
        <DraftConflict what="the thread keys" labels={{ keys: 'Metadata keys' }} draft={draft} saved={saved} />
      )}
      <TextField
        label="Metadata keys for threads"
        hint="The first matching key wins. Applies to new runs only."
        error={problem}
        isCode
        maxLength={1000}
        value={keys}
        onChange={(typed) => {
          draft.set({ keys: typed })
          if (save.isError) save.reset()
        }}
      />
    </FormSection>
  )
}
