import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import { ChevronDown, LayoutDashboard } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { describeFailure } from '#lib/errors.ts'
import { pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog, FormDialog } from '#ui/dialog.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { Menu, MenuItem, MenuLine, MenuRadio } from '#ui/menu.tsx'
import { RenameDialog } from '#ui/rename-dialog.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
import { type Dashboard, dashboardMutation, dashboardQuery, readDashboard } from './queries.ts'
import type { OpenDashboard } from './use-dashboard.ts'

export interface DashboardMenuProps {
  projectId: string
  open: OpenDashboard
  /** The charts on screen, which a new dashboard may copy. */
  charts: readonly DashboardChart[]
  /** Opens a dashboard; undefined opens the built-in charts. */
  onBoard: (id: string | undefined) => void
}

/** Switches between the built-in charts and saved dashboards, and creates, renames and deletes dashboards. */
export function DashboardMenu({ projectId, open, charts, onBoard }: DashboardMenuProps) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const list = useQuery(dashboardQuery.list(projectId))
  const create = useMutation(dashboardMutation.create(queryClient))
  const remove = useMutation(dashboardMutation.delete(queryClient))
  const [dialog, setDialog] = useState<'new' | 'rename' | 'delete'>()
  const { dashboard } = open
  const rename = useMutation(dashboardMutation.rename(queryClient, dashboard?.id ?? ''))
  const close = () => setDialog(undefined)

  function confirmDelete({ id, name }: Dashboard) {
    remove.mutate(id, {
      onSuccess: () => {
        close()
        onBoard(undefined)
        toast.done(`${name} deleted`)
      },
      onError: (cause) => toast.failure('Could not delete the dashboard', cause),
    })
  }

  return (
    <>
      <Menu
        trigger={
          <Button aria-label={`Dashboard: ${dashboard?.name ?? 'Monitor'}`}>
            <LayoutDashboard size={13} aria-hidden />
            <span className="max-w-40 truncate">{dashboard?.name ?? 'Monitor'}</span>
            <ChevronDown size={13} aria-hidden />
          </Button>
        }
      >
        <MenuRadio
          value={dashboard?.id ?? 'monitor'}
          onChange={(id) => onBoard(id === 'monitor' ? undefined : id)}
          options={[
            { value: 'monitor', label: 'Monitor' },
            ...(list.data ?? []).map(({ id, name, session_id }) => ({
              value: id,
              label: session_id === null ? `${name} (workspace)` : name,
            })),
          ]}
        />
        {mayWrite && (
          <>
            <MenuLine />
            <MenuItem onSelect={() => setDialog('new')}>New dashboard…</MenuItem>
            {dashboard && <MenuItem onSelect={() => setDialog('rename')}>Rename…</MenuItem>}
            {dashboard && (
              <MenuItem danger onSelect={() => setDialog('delete')}>
                Delete…
              </MenuItem>
            )}
          </>
        )}
      </Menu>
      {dialog === 'new' && (
        <NewDialog
          onClose={close}
          onCreate={async (name, { isOfProject, isEmpty }) => {
            const copied = isEmpty ? [] : charts
            const saved = await create.mutateAsync({ name, charts: copied, ...(isOfProject && { projectId }) })
            onBoard(saved.id)
          }}
        />
      )}
      {dialog === 'rename' && dashboard && (
        <RenameDialog
          noun="dashboard"
          name={dashboard.name}
          maxLength={200}
          read={async () => (await readDashboard(dashboard.id)).name}
          save={async (name, expected) => void (await rename.mutateAsync({ name, expected }))}
          onClose={close}
        />
      )}
      {dialog === 'delete' && dashboard && (
        <ConfirmDialog
          title={`Delete ${dashboard.name}?`}
          action="Delete"
          isBusy={remove.isPending}
          onCancel={close}
          onConfirm={() => confirmDelete(dashboard)}
        >
          This deletes the dashboard and its {pluralize(dashboard.charts.length, 'chart')} for everyone. Runs are kept.
        </ConfirmDialog>
      )}
    </>
  )
}

interface NewDialogProps {
  /** The dialog closes when the promise resolves, and shows the error when it rejects. */
  onCreate: (name: string, start: { isOfProject: boolean; isEmpty: boolean }) => Promise<unknown>
  onClose: () => void
}

/** Asks for the name of a new dashboard, where it is available and what it starts with. */
function NewDialog({ onCreate, onClose }: NewDialogProps) {
  const [name, setName] = useState('')
  const [isOfProject, setOfProject] = useState(true)
  const [isEmpty, setEmpty] = useState(false)
  const save = useMutation({ mutationFn: () => onCreate(name.trim(), { isOfProject, isEmpty }), onSuccess: onClose })
  return (
    <FormDialog
      title="New dashboard"
      action="Create"
      canSubmit={name.trim() !== ''}
      isPending={save.isPending}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <TextField
        label="Name"
        error={save.error ? describeFailure(save.error).message : undefined}
        value={name}
        maxLength={200}
        autoComplete="off"
        onChange={setName}
      />
      <FormField label="Available in">
        {(props) => (
          <Select
            {...props}
            value={isOfProject ? 'project' : 'workspace'}
            onChange={(place) => setOfProject(place === 'project')}
            options={[
              { value: 'project', label: 'This project' },
              { value: 'workspace', label: 'All projects of the workspace' },
            ]}
          />
        )}
      </FormField>
      <FormField label="Start with">
        {(props) => (
          <Select
            {...props}
            value={isEmpty ? 'empty' : 'copy'}
            onChange={(start) => setEmpty(start === 'empty')}
            options={[
              { value: 'copy', label: 'A copy of the charts on screen' },
              { value: 'empty', label: 'No charts' },
            ]}
          />
        )}
      </FormField>
    </FormDialog>
  )
}
