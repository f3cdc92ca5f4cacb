import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useMay } from '#features/accounts/me.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { DangerZone } from '#ui/form-section.tsx'
import { toast } from '#ui/toast.tsx'
import { projectMutation, refreshProjects } from '../queries.ts'

/** Deletes the project after its name is typed. */
export function DeleteProject({ tenant, project }: { tenant: string; project: Project }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const remove = useMutation(projectMutation.delete())
  function confirm(close: () => void) {
    remove.mutate(project.id, {
      onSuccess: async () => {
        await navigate({ to: '/o/$tenant/projects', params: { tenant } })
        // Before, it would be gone when the page takes long to load.
        toast.done(`Deleted ${project.name}`)
        await refreshProjects(queryClient)
      },
      onError: (cause) => {
        close()
        toast.failure(`Could not delete ${project.name}`, cause)
      },
    })
  }
  return (
    <DangerZone
      explanation={<>Deletes the project with all traces, runs, feedback and public links. This cannot be undone.</>}
      label="Delete project"
      lockedBecause={mayWrite ? undefined : READ_ONLY}
      dialog={(close) => (
        <ConfirmDialog
          title={`Delete ${project.name}?`}
          action="Delete project"
          typed={project.name}
          isBusy={remove.isPending}
          onCancel={close}
          onConfirm={() => confirm(close)}
        >
          This deletes all its traces, runs and feedback. This cannot be undone.
        </ConfirmDialog>
      )}
    />
  )
}
