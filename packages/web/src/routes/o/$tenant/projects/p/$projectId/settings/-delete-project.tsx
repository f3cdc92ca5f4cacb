import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useState } from 'react'
import { useMay } from '#data/me.ts'
import { projectMutation, refreshProjects } from '#data/projects.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { DangerZone } from '#ui/form-section.tsx'
import { toast } from '#ui/toast.tsx'

/** Deletes the project after its name is typed. */
export function DeleteProject({ tenant, project }: { tenant: string; project: Project }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation(projectMutation.delete())
  function confirm() {
    remove.mutate(project.id, {
      onSuccess: async () => {
        toast.done(`Deleted ${project.name}`)
        await navigate({ to: '/o/$tenant/projects', params: { tenant } })
        await refreshProjects(queryClient)
      },
      onError: (cause) => {
        setAsking(false)
        toast.failure(`Could not delete ${project.name}`, cause)
      },
    })
  }
  return (
    <DangerZone
      explanation={<>Deletes the project with all traces, runs, feedback and public links. This cannot be undone.</>}
      action={
        <Button
          look="danger"
          disabled={!mayWrite}
          title={mayWrite ? undefined : READ_ONLY}
          onClick={() => setAsking(true)}
        >
          Delete project
        </Button>
      }
    >
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${project.name}?`}
          action="Delete project"
          typed={project.name}
          isBusy={remove.isPending}
          onCancel={() => setAsking(false)}
          onConfirm={confirm}
        >
          This deletes all its traces, runs and feedback. This cannot be undone.
        </ConfirmDialog>
      )}
    </DangerZone>
  )
}
