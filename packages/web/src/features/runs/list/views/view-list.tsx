import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { RunViewState, SavedView } from '@touchstone/sdk'
import { Workflow } from 'lucide-react'
import { useState } from 'react'
import { meQuery, useMay } from '#features/accounts/me.ts'
import { isSameJson } from '#lib/changes.ts'
import { describeFailure, isOvertaken } from '#lib/errors.ts'
import { type RunsSearch, toRunsSearch, toViewState } from '#lib/page-search.ts'
import { Button } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { toast } from '#ui/toast.tsx'
import { savedViewMutation } from '../../saved-view-queries.ts'

export interface ViewListProps {
  projectId: string
  search: RunsSearch
  views: readonly SavedView[] | undefined
  error: Error | null
  current: SavedView | undefined
  edited: boolean
  onOpen: (part: Partial<RunsSearch>) => void
}

/** The saved views of a project, what to do with the open one, and a form for a new one. */
export function ViewList({ projectId, search, views, error, current, edited, onOpen }: ViewListProps) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const update = useMutation(savedViewMutation.update(queryClient))
  const remove = useMutation(savedViewMutation.delete(queryClient))
  const create = useMutation(savedViewMutation.create(queryClient))

  // The view as it was when it was opened, or as the user has seen it since in a conflict.
  const [base, setBase] = useState(current)
  if (base?.id !== current?.id || (current && !edited && base !== current)) setBase(current)
  const isConflict = current && base && edited && !update.isPending && !isSameJson(base.state, current.state)

  function save(view: SavedView, from: SavedView) {
    setBase(from)
    const state = toViewState(search)
    update.mutate(
      { id: view.id, state, base: from.state },
      {
        onSuccess: (saved) => {
          setBase(saved)
          toast.done(`Saved ${view.name}`)
        },
        onError: (cause) => !isOvertaken(cause) && toast.failure(`${view.name} could not be saved.`, cause),
      },
    )
  }
  function deleteView(view: SavedView) {
    const { name, state, is_personal: isPersonal } = view
    const again = { name, projectId: view.session_id ?? undefined, state, isPersonal }
    remove.mutate(view, {
      onSuccess: () => {
        onOpen({ view: undefined })
        toast.done(`Deleted ${view.name}`, { label: 'Undo', run: () => create.mutate(again) })
      },
      onError: (cause) => toast.failure(`Could not delete ${view.name}`, cause),
    })
  }
  return (
    <>
      {error && <p className="px-2 py-1 text-row text-err">{describeFailure(error).message}</p>}
      {views?.length === 0 && (
        <p className="px-2 py-1 text-row text-fg-muted">
          No views yet. Filter, choose a time and columns, then save them here under a name.
        </p>
      )}
      <ul className="max-h-72 overflow-y-auto">
        {views?.map((view) => (
          <li key={view.id}>
            <button
              type="button"
              aria-current={view.id === current?.id || undefined}
              onClick={() => onOpen({ ...toRunsSearch(view.state), view: view.id, peek: undefined })}
              className="flex h-7 w-full items-center gap-2 rounded-control px-2 text-left text-row hover:bg-hover aria-[current]:bg-selected aria-[current]:font-medium coarse:h-10"
            >
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {view.name}
              </span>
              <span className="text-meta text-fg-subtle">
                {[view.is_personal && 'only you', view.session_id === null && 'all projects']
                  .filter(Boolean)
                  .join(', ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {isConflict && (
        <div className="mt-1">
          <EditConflict
            what={`the view ${current.name}`}
            fields={[{ label: 'View', theirs: printState(current.state), mine: printState(toViewState(search)) }]}
            isEditable={false}
            onKeep={() => save(current, current)}
            onTake={() => {
              setBase(current)
              onOpen(toRunsSearch(current.state))
            }}
          />
        </div>
      )}
      {current && (
        <div className="mt-1 flex flex-wrap gap-1 border-t border-border pt-2">
          {edited && mayWrite && !isConflict && (
            <Button look="primary" onClick={() => save(current, base ?? current)} disabled={update.isPending}>
              Save
            </Button>
          )}
          {edited && <Button onClick={() => onOpen(toRunsSearch(current.state))}>Reset</Button>}
          <Button look="quiet" onClick={() => onOpen({ view: undefined })}>
            Leave
          </Button>
          {mayWrite && (
            <Button look="danger" className="ml-auto" onClick={() => deleteView(current)} disabled={remove.isPending}>
              Delete
            </Button>
          )}
        </div>
      )}
      {mayWrite && <CreateRule projectId={projectId} search={search} />}
      {mayWrite && <SaveAs projectId={projectId} search={search} onSaved={(view) => onOpen({ view: view.id })} />}
    </>
  )
}

const printState = (state: RunViewState) =>
  Object.entries(state)
    .map(([part, text]) => `${part}: ${text}`)
    .join('\n')

/** Leads to a new rule on the runs that the list shows. */
function CreateRule({ projectId, search }: { projectId: string; search: RunsSearch }) {
  const { tenant = '' } = useParams({ strict: false }) as { tenant?: string }
  const { scope, filter, traceFilter, treeFilter } = search
  const target = scope === 'traces' ? 'trace' : 'run'
  return (
    <Link
      to="/o/$tenant/rules/new"
      params={{ tenant }}
      search={{ project: projectId, target, filter, traceFilter, treeFilter }}
      className="mt-1 flex min-h-7 items-center gap-2 rounded-control border-t border-border px-2 py-1 text-row hover:bg-hover coarse:min-h-10"
    >
      <Workflow size={13} aria-hidden className="shrink-0" />
      Create rule on these runs
    </Link>
  )
}

function SaveAs(props: { projectId: string; search: RunsSearch; onSaved: (view: SavedView) => void }) {
  const create = useMutation(savedViewMutation.create(useQueryClient()))
  const [name, setName] = useState('')
  const [isEverywhere, setEverywhere] = useState(false)
  const [isPersonal, setPersonal] = useState(false)
  const me = useQuery(meQuery.current())
  const isBlank = name.trim() === ''
  return (
    <form
      className="mt-2 flex flex-col gap-1.5 border-t border-border pt-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (isBlank || create.isPending) return
        const projectId = isEverywhere ? undefined : props.projectId
        const view = { name: name.trim(), projectId, state: toViewState(props.search), isPersonal }
        create.mutate(view, { onSuccess: props.onSaved })
      }}
    >
      <div className="flex gap-1.5">
        <input
          aria-label="Name of a new view"
          placeholder="Name of a new view"
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
          className="h-7 min-w-0 flex-1 rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
        />
        <Button type="submit" disabled={isBlank || create.isPending}>
          Save as
        </Button>
      </div>
      <label className="flex items-center gap-1.5 px-1 text-row text-fg-muted">
        <input type="checkbox" checked={isEverywhere} onChange={(event) => setEverywhere(event.target.checked)} />
        Available in all projects
      </label>
      {/* A server without accounts cannot distinguish users. */}
      {me.data && me.data.kind !== 'local' && (
        <label className="flex items-center gap-1.5 px-1 text-row text-fg-muted">
          <input type="checkbox" checked={isPersonal} onChange={(event) => setPersonal(event.target.checked)} />
          Only for me
        </label>
      )}
      {create.error && (
        <p role="alert" className="px-1 text-meta text-err">
          {describeFailure(create.error).message}
        </p>
      )}
    </form>
  )
}
