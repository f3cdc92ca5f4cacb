import { useQuery } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { Suspense } from 'react'
import { isEdited, type RunsSearch } from '#lib/page-search.ts'
import { Button } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Popover } from '#ui/popover.tsx'
import { savedViewQuery } from '../../saved-view-queries.ts'

const ViewList = lazyExtra(() => import('./view-list.tsx').then((module) => module.ViewList))

export interface ViewMenuProps {
  projectId: string
  search: RunsSearch
  onChange: (part: Partial<RunsSearch>) => void
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Saved views: opening one copies it into the address; an edited one is marked and can be saved or reset. */
export function ViewMenu({ projectId, search, onChange, open, onOpenChange }: ViewMenuProps) {
  const views = useQuery({ ...savedViewQuery.list(projectId), enabled: open || search.view !== undefined })
  const current = views.data?.find(({ id }) => id === search.view)
  const edited = current !== undefined && isEdited(search, current.state)
  return (
    <Popover
      label="Saved views"
      preload={ViewList.preload}
      open={open}
      onOpenChange={onOpenChange}
      className="w-72"
      trigger={
        <Button aria-label={current ? `View: ${current.name}${edited ? ', edited' : ''}` : 'Views'}>
          <Bookmark size={13} aria-hidden />
          <span className="max-w-40 truncate">{current?.name ?? 'Views'}</span>
          {edited && <span aria-hidden>*</span>}
        </Button>
      }
    >
      <Suspense>
        <ViewList
          projectId={projectId}
          search={search}
          views={views.data}
          error={views.error}
          current={current}
          edited={edited}
          onOpen={(part) => {
            onChange(part)
            onOpenChange(false)
          }}
        />
      </Suspense>
    </Popover>
  )
}
