import { useMutation, useQueryClient } from '@tanstack/react-query'
import { projectMutation, refreshProjects } from '#data/projects.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { toast } from '#ui/toast.tsx'
import { DeleteManyDialog } from './-delete-many-dialog.tsx'
import { NameDialog } from './-name-dialog.tsx'
import type { ProjectRow } from './-use-projects.tsx'

/** The dialogs of the page. */
export type ProjectDialog =
  | { kind: 'create' }
  | { kind: 'rename' | 'delete'; row: ProjectRow }
  | { kind: 'delete-many'; rows: readonly ProjectRow[] }

interface ProjectDialogsProps {
  layer: ProjectDialog
  onClose: () => void
  onCreated: (projectId: string) => void
}

/** The dialog that is open: new project, rename, delete. */
export function ProjectDialogs({ layer, onClose, onCreated }: ProjectDialogsProps) {
  const queryClient = useQueryClient()
  const create = useMutation({ ...projectMutation.create(), onSuccess: () => refreshProjects(queryClient) })
  const rename = useMutation({ ...projectMutation.rename(), onSuccess: () => refreshProjects(queryClient) })
  const remove = useMutation({ ...projectMutation.delete(), onSettled: () => refreshProjects(queryClient) })

  if (layer.kind === 'create') {
    return (
      <NameDialog
        title="New project"
        action="Create"
        isBusy={create.isPending}
        error={create.error}
        onClose={onClose}
        onSubmit={(name) =>
          create.mutate(name, {
            onSuccess: (project) => {
              onClose()
              onCreated(project.id)
            },
          })
        }
      />
    )
  }
  if (layer.kind === 'delete-many') return <DeleteManyDialog rows={layer.rows} onClose={onClose} />
  const { id, name } = layer.row.project
  if (layer.kind === 'rename') {
    return (
      <NameDialog
        title={`Rename ${name}`}
        action="Rename"
        name={name}
        isBusy={rename.isPending}
        error={rename.error}
        onClose={onClose}
        onSubmit={(to) => rename.mutate({ id, name: to }, { onSuccess: onClose })}
      />
    )
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete project"
      typed={name}
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(id, {
          onSuccess: () => {
            onClose()
            toast.done(`Deleted ${name}`)
          },
          onError: (cause) => toast.failure(`${name} could not be deleted.`, cause),
        })
      }
    >
      All its traces, runs and feedback go with it. This cannot be undone.
    </ConfirmDialog>
  )
}
