import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatCount, pluralize } from '#lib/format.ts'
import { DeleteDialog } from '#ui/delete-dialog.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { NameDialog } from '#ui/name-dialog.tsx'
import { RenameDialog } from '#ui/rename-dialog.tsx'
import { toast } from '#ui/toast.tsx'
import { projectMutation, readProjectName, refreshProjects } from '../queries.ts'
import type { ProjectRow } from './use-projects.tsx'

/** The open dialog of the page. */
export type ProjectDialog =
  | { kind: 'create' }
  | { kind: 'rename' | 'delete'; row: ProjectRow }
  | { kind: 'delete-many'; rows: readonly ProjectRow[] }

interface ProjectDialogsProps {
  dialog: ProjectDialog
  onClose: () => void
  onCreated: (projectId: string) => void
}

/** Renders the open dialog. */
export function ProjectDialogs({ dialog, onClose, onCreated }: ProjectDialogsProps) {
  const queryClient = useQueryClient()
  const create = useMutation({ ...projectMutation.create(), onSuccess: () => refreshProjects(queryClient) })
  const rename = useMutation({ ...projectMutation.rename(), onSuccess: () => refreshProjects(queryClient) })
  if (dialog.kind === 'delete-many') return <DeleteManyDialog rows={dialog.rows} onClose={onClose} />
  if (dialog.kind === 'delete') return <DeleteProjectDialog project={dialog.row.project} onClose={onClose} />
  if (dialog.kind === 'rename') {
    const { id, name } = dialog.row.project
    return (
      <RenameDialog
        noun="project"
        name={name}
        read={() => readProjectName(id)}
        save={async (to, expected) => void (await rename.mutateAsync({ id, name: to, expected }))}
        onClose={onClose}
      />
    )
  }
  return (
    <NameDialog
      title="New project"
      action="Create"
      errorTitle="Could not create the project"
      isPending={create.isPending}
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

function DeleteProjectDialog({
  project: { id, name },
  onClose,
}: {
  project: ProjectRow['project']
  onClose: () => void
}) {
  const queryClient = useQueryClient()
  const remove = useMutation({ ...projectMutation.delete(), onSettled: () => refreshProjects(queryClient) })
  return (
    <DeleteDialog
      name={name}
      noun="project"
      isPending={remove.isPending}
      remove={(callbacks) => remove.mutate(id, callbacks)}
      onClose={onClose}
    >
      This deletes all its traces, runs and feedback. This cannot be undone.
    </DeleteDialog>
  )
}

const MAX_NAMES = 8

/** Confirms deleting several projects, and reports each project that could not be deleted. */
function DeleteManyDialog({ rows, onClose }: { rows: readonly ProjectRow[]; onClose: () => void }) {
  const queryClient = useQueryClient()
  const remove = useMutation({ ...projectMutation.deleteMany(), onSettled: () => refreshProjects(queryClient) })
  const traces = rows.reduce((sum, row) => sum + (row.stats?.run_count ?? 0), 0)
  function confirm() {
    remove.mutate(
      rows.map((row) => row.project.id),
      {
        onSuccess: (failed) => {
          onClose()
          const gone = rows.length - failed.length
          if (gone > 0) toast.done(`Deleted ${pluralize(gone, 'project')}`)
          for (const { id, cause } of failed) {
            const row = rows.find(({ project }) => project.id === id)
            toast.failure(`Could not delete ${row?.project.name ?? id}`, cause)
          }
        },
      },
    )
  }
  return (
    <ConfirmDialog
      title={`Delete ${pluralize(rows.length, 'project')}?`}
      action="Delete projects"
      typed={String(rows.length)}
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={confirm}
    >
      <p>
        This deletes all their traces, runs and feedback, including {pluralize(traces, 'trace')} in the selected time
        range. This cannot be undone.
      </p>
      <ul className="mt-2 list-inside list-disc text-row">
        {rows.slice(0, MAX_NAMES).map((row) => (
          <li key={row.project.id} className="truncate">
            {row.project.name}
          </li>
        ))}
      </ul>
      {rows.length > MAX_NAMES && (
        <p className="text-row text-fg-muted">and {formatCount(rows.length - MAX_NAMES)} more</p>
      )}
    </ConfirmDialog>
  )
}
