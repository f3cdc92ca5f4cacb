import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, GripVertical, Pin } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { toBounds } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { useAppliedValue } from '#ui/use-applied-value.tsx'
import type { RunsView } from '../../queries.ts'
import { runStatsQuery } from '../../stats-queries.ts'
import { getColumnLabel } from '../runs-columns.tsx'
import {
  getColumnKind,
  listHiddenColumns,
  matchesColumn,
  moveColumn,
  parseColumn,
  toColsParam,
  toggleColumn,
} from './column-choices.ts'
import { pinnedColumnsPreference, togglePinnedColumn } from './use-column-layout.tsx'

export interface ColumnMenuProps {
  view: RunsView
  /** Shown columns in order. */
  columns: readonly string[]
  /** Columns that the list shows by default. */
  defaults: readonly string[]
  /** `undefined` restores the default columns. */
  onChange: (columns: readonly string[] | undefined) => void
}

/** Shows, hides, orders and pins columns. The name stays first; a typed path adds a column. */
export function ColumnMenu({ view, defaults, ...props }: ColumnMenuProps) {
  const navigate = (next: readonly string[]) => props.onChange(toColsParam(next, defaults))
  const [columns, change] = useAppliedValue(props.columns, navigate, areSame)
  const [search, setSearch] = useState('')
  const keys = useColumnKeys(view)
  const typed = parseColumn(search)
  const newColumn = typed !== undefined && !columns.includes(typed) ? typed : undefined
  const hidden = listHiddenColumns(columns, keys.feedback, keys.metadata).filter((id) => matchesColumn(id, search))
  const toggle = (id: string) => change(toggleColumn(columns, id))
  function addTyped() {
    if (newColumn !== undefined) toggle(newColumn)
    setSearch('')
  }
  return (
    <>
      <input
        type="search"
        aria-label="Find a column, or type a path"
        placeholder="Find, or a path: inputs.question"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && typed !== undefined && addTyped()}
        className="mb-1 h-7 w-full rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
      />
      {newColumn !== undefined && (
        <Button look="quiet" className="w-full justify-start" onClick={addTyped}>
          <span className="truncate">Add {getColumnLabel(newColumn)} ↵</span>
        </Button>
      )}
      <ShownColumns
        columns={columns}
        search={search}
        onToggle={toggle}
        onMove={(id, index) => {
          const moved = moveColumn(columns, id, index)
          if (moved !== columns) change(moved)
        }}
      />
      {hidden.length > 0 && (
        <ul aria-label="Other columns" className="mt-1 border-t border-border pt-1">
          {hidden.map((id) => (
            <li key={id} className={ROW}>
              <span className="w-3 shrink-0" />
              <ColumnCheckbox id={id} isShown={false} onToggle={() => toggle(id)} />
              <span className="shrink-0 text-meta text-fg-subtle">{getColumnKind(id)}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-1 flex justify-end border-t border-border pt-2">
        <Button look="quiet" onClick={() => change(defaults)}>
          Default columns
        </Button>
      </div>
    </>
  )
}

const areSame = (one: readonly string[], other: readonly string[]) => one.join() === other.join()

/** Feedback and metadata keys of the listed runs. */
function useColumnKeys(view: RunsView) {
  const [bounds] = useState(() => toBounds(view.t, Date.now()))
  const facets = useQuery(runStatsQuery.facets(view, bounds, []))
  const feedback = useQuery(runStatsQuery.feedback(view, bounds))
  const metadata = facets.data?.facets.find(({ key }) => key === 'metadata_key')?.values ?? []
  return { feedback: Object.keys(feedback.data ?? {}), metadata: metadata.map(({ value }) => value) }
}

interface ShownColumnsProps {
  columns: readonly string[]
  search: string
  onToggle: (id: string) => void
  onMove: (id: string, index: number) => void
}

function ShownColumns({ columns, search, onToggle, onMove }: ShownColumnsProps) {
  const [dragged, setDragged] = useState<string>()
  return (
    <ul aria-label="Shown columns">
      {columns.map((id, index) =>
        matchesColumn(id, search) ? (
          <li
            key={id}
            draggable={id !== 'name'}
            onDragStart={() => setDragged(id)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => {
              event.preventDefault()
              if (dragged !== undefined && dragged !== id) onMove(dragged, index)
            }}
            className={ROW}
            data-dragged={id === dragged || undefined}
          >
            <GripVertical
              size={12}
              aria-hidden
              className={id === 'name' ? 'shrink-0 opacity-0' : 'shrink-0 cursor-grab text-fg-subtle'}
            />
            <ColumnCheckbox id={id} isShown onToggle={() => onToggle(id)} />
            {id !== 'name' && <ColumnButtons id={id} onMove={(by) => onMove(id, index + by)} />}
          </li>
        ) : null,
      )}
    </ul>
  )
}

function ColumnButtons({ id, onMove }: { id: string; onMove: (by: 1 | -1) => void }) {
  const [pinned] = usePreference(pinnedColumnsPreference)
  const label = getColumnLabel(id)
  return (
    <>
      <button
        type="button"
        aria-label={`Pin ${label}`}
        aria-pressed={pinned.includes(id)}
        title="Pin to the left"
        onClick={() => togglePinnedColumn(id)}
        className={`${SMALL} aria-pressed:text-accent`}
      >
        <Pin size={12} aria-hidden />
      </button>
      <MoveButton label={`Move ${label} up`} icon={<ChevronUp size={13} />} onClick={() => onMove(-1)} />
      <MoveButton label={`Move ${label} down`} icon={<ChevronDown size={13} />} onClick={() => onMove(1)} />
    </>
  )
}

function ColumnCheckbox({ id, isShown, onToggle }: { id: string; isShown: boolean; onToggle: () => void }) {
  return (
    <label className="flex min-w-0 flex-1 items-center gap-2">
      <input type="checkbox" checked={isShown} disabled={id === 'name'} onChange={onToggle} />
      <span className="truncate">{getColumnLabel(id)}</span>
    </label>
  )
}

function MoveButton({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <button type="button" aria-label={label} onClick={onClick} className={SMALL}>
      {icon}
    </button>
  )
}

const SMALL =
  'inline-flex size-6 shrink-0 items-center justify-center rounded-control text-fg-subtle hover:bg-selected hover:text-fg coarse:size-10'
const ROW =
  'flex h-7 items-center gap-1 rounded-control px-1 text-row hover:bg-hover data-dragged:bg-selected coarse:h-10'
