import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useMay } from '#data/me.ts'
import { projectMutation, refreshProjects } from '#data/projects.ts'
import { queryKeys } from '#data/query-client.ts'
import { threadKeysText, validateThreadKeys, withThreadKeys } from '#lib/projects.ts'
import { CONTROL, FormField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { useDraft } from '#ui/hooks.tsx'
import { toast } from '#ui/toast.tsx'

/** Which keys of metadata make traces a conversation, and which of them counts first. */
export function ThreadsSection({ project }: { project: Project }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const saved = { keys: threadKeysText(project) }
  const draft = useDraft(saved)
  const save = useMutation({ ...projectMutation.update(), onSuccess: () => refreshProjects(queryClient) })
  const { keys } = draft.value
  const wrong = validateThreadKeys(keys)
  return (
    <FormSection
      title="Threads"
      changes={draft.changed.map(() => ({ label: 'Keys', from: saved.keys, to: keys || 'the usual ones' }))}
      isSaving={save.isPending}
      isInvalid={wrong !== undefined}
      error={save.error}
      lockedBecause={mayWrite ? undefined : 'Viewers may only read.'}
      onSave={() =>
        save.mutate(
          { id: project.id, change: { projectExtra: withThreadKeys(project, keys) } },
          {
            onSuccess: () => {
              draft.discard()
              toast.done('Saved the keys of threads')
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
      <FormField
        label="Metadata keys that name a thread"
        hint="The first that a run carries counts. Holds for what is sent from now on; stored runs stay in their threads."
        error={wrong}
      >
        {(props) => (
          <input
            {...props}
            className={`${CONTROL} font-mono`}
            maxLength={1000}
            value={keys}
            spellCheck={false}
            onChange={(event) => draft.set({ keys: event.target.value })}
          />
        )}
      </FormField>
    </FormSection>
  )
}
