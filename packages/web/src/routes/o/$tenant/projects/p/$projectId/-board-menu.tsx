import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import { ChevronDown, LayoutDashboard } from 'lucide-react'
import { useState } from 'react'
import { dashboardMutation, dashboardQuery } from '#data/dashboards.ts'
import { useMay } from '#data/me.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Menu, MenuItem, MenuLine, MenuRadio } from '#ui/menu.tsx'
import { toast } from '#ui/toast.tsx'
import { BoardNameDialog } from './-board-name-dialog.tsx'
import type { OpenDashboard } from './-use-dashboard.ts'

export interface BoardMenuProps {
  projectId: string
  open: OpenDashboard
  /** What a new dashboard begins with. */
  charts: readonly DashboardChart[]
  onBoard: (id: string | undefined) => void
}

/** Which charts are shown: those that come with the product, or a saved dashboard; and what can be done with it. */
export function BoardMenu({ projectId, open, charts, onBoard }: BoardMenuProps) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const list = useQuery(dashboardQuery.list(projectId))
  const create = useMutation(dashboardMutation.create(queryClient))
  const remove = useMutation(dashboardMutation.delete(queryClient))
  const [asking, setAsking] = useState<'new' | 'rename' | 'delete'>()
  const { dashboard } = open
  const done = () => setAsking(undefined)

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
            <MenuItem onSelect={() => setAsking('new')}>New dashboard from these charts…</MenuItem>
            {dashboard && <MenuItem onSelect={() => setAsking('rename')}>Rename…</MenuItem>}
            {dashboard && (
              <MenuItem danger onSelect={() => setAsking('delete')}>
                Delete…
              </MenuItem>
            )}
          </>
        )}
      </Menu>
      {asking === 'new' && (
        <BoardNameDialog
          title="New dashboard"
          action="Create"
          asksPlace
          onClose={done}
          onName={async (name, isOfProject) => {
            const wish = { name, charts, ...(isOfProject && { projectId }) }
            const saved = await create.mutateAsync(wish)
            onBoard(saved.id)
          }}
        />
      )}
      {asking === 'rename' && dashboard && (
        <BoardNameDialog
          title="Rename the dashboard"
          action="Rename"
          name={dashboard.name}
          onClose={done}
          onName={async (name) => void (await open.rename(name))}
        />
      )}
      {asking === 'delete' && dashboard && (
        <ConfirmDialog
          title={`Delete ${dashboard.name}?`}
          action="Delete"
          isBusy={remove.isPending}
          onCancel={done}
          onConfirm={() =>
            remove.mutate(dashboard.id, {
              onSuccess: () => {
                done()
                onBoard(undefined)
                toast.done(`${dashboard.name} deleted`)
              },
              onError: (cause) => toast.failure('The dashboard could not be deleted.', cause),
            })
          }
        >
          Its {dashboard.charts.length} charts are gone then, for everybody; the runs stay.
        </ConfirmDialog>
      )}
    </>
  )
}
