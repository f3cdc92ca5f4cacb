import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useMay } from '#features/accounts/me.ts'
import { GeneralSection } from '#ui/general-section.tsx'
import { projectMutation, refreshProjects } from '../queries.ts'

/** Name and description of the project. */
export function ProjectGeneralSection({ project }: { project: Project }) {
  const queryClient = useQueryClient()
  const { mutate, ...save } = useMutation({
    ...projectMutation.update(),
    // Also after a failure: others may have changed the project.
    onSettled: () => refreshProjects(queryClient),
  })
  return (
    <GeneralSection
      noun="project"
      nameHint="Apps that still use the old name create a new project."
      saved={{ name: project.name, description: project.description ?? '' }}
      keptAs={`project ${project.id}`}
      mayWrite={useMay('member')}
      save={{
        ...save,
        submit: (change, expected, callbacks) => mutate({ id: project.id, change: { ...change, expected } }, callbacks),
      }}
    />
  )
}
