import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { projectMutation, refreshProjects } from '#data/projects.ts'
import { formatCount } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { toast } from '#ui/toast.tsx'
import type { ProjectRow } from './-use-projects.tsx'

/** The open dialog of the page. */
export type ProjectDialog =
  | { kind: 'create' }
  | { kind: 'rename' | 'delete'; row: ProjectRow }
  | { kind: 'delete-many'; rows: readonly ProjectRow[] }

interface ProjectDialogsProps {
  layer: ProjectDialog
  onClose: () => void
  onCreated: (projectId: string) => void
}

/** Renders the open dialog. */
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
          onError: (cause) => toast.failure(`Could not delete ${name}`, cause),
        })
      }
    >
      This deletes all its traces, runs and feedback. This cannot be undone.
    </ConfirmDialog>
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
          if (gone > 0) toast.done(`Deleted ${formatCount(gone)} projects`)
          for (const { id, cause } of failed) {
            toast.failure(`Could not delete ${rows.find((row) => row.project.id === id)!.project.name}`, cause)
          }
        },
      },
    )
  }
  return (
    <ConfirmDialog
      title={`Delete ${formatCount(rows.length)} projects?`}
      action="Delete projects"
      typed={String(rows.length)}
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={confirm}
    >
      <p>
        This deletes all their traces, runs and feedback, including {formatCount(traces)} traces in the selected time
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

interface NameDialogProps {
  title: string
  action: string
  /** @default '' */
  name?: string
  isBusy: boolean
  error: unknown
  onSubmit: (name: string) => void
  onClose: () => void
}

/** Form for a project's name. */
function NameDialog({ title, action, name = '', isBusy, error, onSubmit, onClose }: NameDialogProps) {
  const [text, setText] = useState(name)
  const wanted = text.trim()
  const mayGo = !isBusy && wanted !== '' && wanted !== name
  function submit(event: FormEvent) {
    event.preventDefault()
    if (mayGo) onSubmit(wanted)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="name" look="primary" disabled={!mayGo}>
            {action}
          </Button>
        </>
      }
    >
      <form id="name" onSubmit={submit} className="flex flex-col gap-3">
        {error !== null && <ErrorState compact title={`Could not ${action.toLowerCase()} the project`} error={error} />}
        <label className="flex flex-col gap-1 text-row text-fg-muted">
          Name
          <input
            value={text}
            maxLength={1000}
            onChange={(event) => setText(event.target.value)}
            onFocus={(event) => event.target.select()}
            autoComplete="off"
            spellCheck={false}
            className="h-8 rounded-control border border-border-strong bg-surface px-2 text-form text-fg coarse:h-10"
          />
        </label>
      </form>
    </Dialog>
  )
}
