import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useMay } from '#features/accounts/me.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { FormField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { getTextMode, TEXT_MODES, type TextMode, withTextMode } from '../projects.ts'
import { projectMutation, refreshProjects } from '../queries.ts'

const LABELS: Readonly<Record<TextMode, string>> = { markdown: 'Markdown', text: 'Text, as recorded' }

/** How the texts of messages are shown at first, for everyone. */
export function MessagesSection({ project }: { project: Project }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const saved = { mode: getTextMode(project) }
  const draft = useDraft(saved, `messages of project ${project.id}`)
  const save = useMutation({ ...projectMutation.changeSetting(), onSettled: () => refreshProjects(queryClient) })
  const { mode } = draft.value
  return (
    <FormSection
      title="Messages"
      changes={draft.changed.map(() => ({ label: 'Show messages as', from: LABELS[saved.mode], to: LABELS[mode] }))}
      isSaving={save.isPending}
      isRestored={draft.isRestored}
      error={save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={() =>
        save.mutate(
          // A choice without text: the last one is kept.
          { project, toExtra: (base) => withTextMode(base, mode), read: () => undefined },
          {
            onSuccess: () => {
              draft.settle(draft.value)
              toast.done('Saved how messages are shown')
            },
          },
        )
      }
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      <FormField label="Show messages as" hint="Each message has a switch between both.">
        {(props) => (
          <Select
            {...props}
            value={mode}
            onChange={(next) => draft.set({ mode: next })}
            options={TEXT_MODES.map((value) => ({ value, label: LABELS[value] }))}
            className="max-w-80"
          />
        )}
      </FormField>
    </FormSection>
  )
}
