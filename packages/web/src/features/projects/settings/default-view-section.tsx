import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useMay } from '#features/accounts/me.ts'
import { savedViewQuery } from '#features/runs/saved-view-queries.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { FormField } from '#ui/field.tsx'
import { FormSection } from '#ui/form-section.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { getDefaultViewId, withDefaultView } from '../projects.ts'
import { projectMutation, refreshProjects } from '../queries.ts'

const NONE = 'Latest traces, last 7 days'

/** The saved view with which the runs list opens: filters, time range and columns. */
export function DefaultViewSection({ project }: { project: Project }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const views = useQuery(savedViewQuery.list(project.id))
  const saved = { view: getDefaultViewId(project) ?? '' }
  const draft = useDraft(saved, `default view of project ${project.id}`)
  const save = useMutation({ ...projectMutation.changeSetting(), onSettled: () => refreshProjects(queryClient) })
  const getViewName = (id: string) =>
    id === '' ? NONE : (views.data?.find((one) => one.id === id)?.name ?? 'Deleted view')
  const { view } = draft.value
  const shared = views.data?.filter((one) => !one.is_personal)
  const isDeleted = shared !== undefined && view !== '' && shared.every(({ id }) => id !== view)
  return (
    <FormSection
      title="Default view"
      changes={draft.changed.map(() => ({
        label: 'Default view',
        from: getViewName(saved.view),
        to: getViewName(view),
      }))}
      isSaving={save.isPending}
      isRestored={draft.isRestored}
      error={save.error ?? views.error}
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      onSave={() =>
        save.mutate(
          // A choice without text: the last one is kept.
          { project, toExtra: (base) => withDefaultView(base, view === '' ? undefined : view), read: () => undefined },
          {
            onSuccess: () => {
              draft.settle(draft.value)
              toast.done('Saved the default view')
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
        label="Runs list opens with"
        hint="Applies to everyone who opens the project without other filters. Save views on the Runs page, under Views."
      >
        {(props) => (
          <Select
            {...props}
            value={view}
            onChange={(next) => draft.set({ view: next })}
            options={[
              { value: '', label: NONE },
              ...(isDeleted ? [{ value: view, label: getViewName(view) }] : []),
              ...(shared ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            className="max-w-80"
          />
        )}
      </FormField>
    </FormSection>
  )
}
