import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useMay } from '#data/me.ts'
import { projectMutation, refreshProjects } from '#data/projects.ts'
import { describeFailure } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { CONTROL, FormField, TextField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { useDraft } from '#ui/hooks.tsx'
import { toast } from '#ui/toast.tsx'

const LABELS = { name: 'Name', description: 'Description' } as const

/** Name and description of the project. */
export function GeneralSection({ project }: { project: Project }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const saved = { name: project.name, description: project.description ?? '' }
  const draft = useDraft(saved)
  const save = useMutation({ ...projectMutation.update(), onSuccess: () => refreshProjects(queryClient) })
  const { name, description } = draft.value
  const isTaken = describeFailure(save.error).status === 409
  const nameError = name.trim() === '' ? 'Enter a name.' : isTaken ? 'Another project has this name.' : undefined
  return (
    <FormSection
      title="General"
      changes={draft.changed.map((field) => ({ label: LABELS[field], from: saved[field], to: draft.value[field] }))}
      isSaving={save.isPending}
      isInvalid={name.trim() === ''}
      error={isTaken ? undefined : save.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={() =>
        save.mutate(
          { id: project.id, change: { name: name.trim(), description } },
          {
            onSuccess: () => {
              draft.discard()
              toast.done('Saved the project')
            },
          },
        )
      }
      onDiscard={() => {
        draft.discard()
        save.reset()
      }}
    >
      <TextField
        label="Name"
        hint="Apps that still use the old name create a new project."
        error={nameError}
        maxLength={1000}
        value={name}
        spellCheck={false}
        onChange={(typed) => {
          draft.set({ name: typed })
          save.reset()
        }}
      />
      <FormField label="Description">
        {(props) => (
          <textarea
            {...props}
            rows={3}
            className={`${CONTROL} h-auto resize-y py-1.5`}
            value={description}
            onChange={(event) => draft.set({ description: event.target.value })}
          />
        )}
      </FormField>
    </FormSection>
  )
}
