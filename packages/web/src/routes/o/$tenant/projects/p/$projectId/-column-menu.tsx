import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, GripVertical, Pin } from 'lucide-react'
import { useState } from 'react'
import { runFigures } from '#data/run-figures.ts'
import type { RunsView } from '#data/runs.ts'
import { parsePath } from '#lib/json/json-path.ts'
import { DEFAULT_COLUMNS, feedbackColumn, jsonColumn, metadataColumn, readColumn } from '#lib/runs/column-ids.ts'
import { boundsOf } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { columnOf, RUN_COLUMNS } from './-runs-columns.tsx'
import { pinnedColumnsPreference, togglePinnedColumn } from './-use-column-layout.tsx'

export interface ColumnMenuProps {
  view: RunsView
  /** Shown columns in order. */
  columns: readonly string[]
  /** `undefined` brings back the default set. */
  onChange: (columns: readonly string[] | undefined) => void
}

/** Which columns are shown, and in which order. The name stays first; a path typed here becomes a column. */
export function ColumnMenu({ view, columns, onChange }: ColumnMenuProps) {
  const [pinned] = usePreference(pinnedColumnsPreference)
  const [sought, setSought] = useState('')
  const [dragged, setDragged] = useState<string>()
  const [bounds] = useState(() => boundsOf(view.t, Date.now()))
  const facets = useQuery(runFigures.facets(view, bounds, []))
  const feedback = useQuery(runFigures.feedback(view, bounds))

  const offered = [
    ...Object.keys(RUN_COLUMNS),
    ...Object.keys(feedback.data ?? {}).map(feedbackColumn),
    ...(facets.data?.facets.find(({ key }) => key === 'metadata_key')?.values ?? []).map(({ value }) =>
      metadataColumn(value),
    ),
  ].filter((id) => columnOf(id) !== undefined && !columns.includes(id))
  const typed = columnOfPath(sought)
  const word = sought.trim().toLowerCase()
  const isSought = (id: string) => nameOf(id).toLowerCase().includes(word)
  const hidden = [...new Set(offered)].filter(isSought)
  const set = (next: readonly string[]) => onChange(next.join() === DEFAULT_COLUMNS.join() ? undefined : next)

  function toggle(id: string) {
    set(columns.includes(id) ? columns.filter((one) => one !== id) : [...columns, id])
  }
  function moveTo(id: string, to: number) {
    if (to < 1 || to >= columns.length) return
    set(columns.filter((one) => one !== id).toSpliced(to, 0, id))
  }

  return (
    <>
      <input
        type="search"
        aria-label="Find a column, or type a path"
        placeholder="Find, or a path: inputs.question"
        value={sought}
        onChange={(event) => setSought(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || typed === undefined) return
          if (!columns.includes(typed)) toggle(typed)
          setSought('')
        }}
        className="mb-1 h-7 w-full rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
      />
      {typed !== undefined && !columns.includes(typed) && (
        <Button
          look="quiet"
          className="w-full justify-start"
          onClick={() => {
            toggle(typed)
            setSought('')
          }}
        >
          <span className="truncate">Add {nameOf(typed)} ↵</span>
        </Button>
      )}
      <ul aria-label="Shown columns">
        {columns.filter(isSought).map((id) => (
          <li
            key={id}
            draggable={id !== 'name'}
            onDragStart={() => setDragged(id)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => {
              event.preventDefault()
              if (dragged !== undefined && dragged !== id) moveTo(dragged, columns.indexOf(id))
            }}
            className={ROW}
            data-dragged={id === dragged || undefined}
          >
            <GripVertical
              size={12}
              aria-hidden
              className={id === 'name' ? 'shrink-0 opacity-0' : 'shrink-0 cursor-grab text-fg-subtle'}
            />
            <Choice id={id} isShown onToggle={() => toggle(id)} />
            {id !== 'name' && (
              <>
                <button
                  type="button"
                  aria-label={`Pin ${nameOf(id)}`}
                  aria-pressed={pinned.includes(id)}
                  title="Keep it at the left"
                  onClick={() => togglePinnedColumn(id)}
                  className={`${SMALL} aria-pressed:text-accent`}
                >
                  <Pin size={12} aria-hidden />
                </button>
                <MoveButton
                  label={`Move ${nameOf(id)} up`}
                  icon={<ChevronUp size={13} />}
                  onClick={() => moveTo(id, columns.indexOf(id) - 1)}
                />
                <MoveButton
                  label={`Move ${nameOf(id)} down`}
                  icon={<ChevronDown size={13} />}
                  onClick={() => moveTo(id, columns.indexOf(id) + 1)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      {hidden.length > 0 && (
        <ul aria-label="Other columns" className="mt-1 border-t border-border pt-1">
          {hidden.map((id) => (
            <li key={id} className={ROW}>
              <span className="w-3 shrink-0" />
              <Choice id={id} isShown={false} onToggle={() => toggle(id)} />
              <span className="shrink-0 text-meta text-fg-subtle">{kindOf(id)}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-1 flex justify-end border-t border-border pt-2">
        <Button look="quiet" onClick={() => onChange(undefined)}>
          Default columns
        </Button>
      </div>
    </>
  )
}

function Choice({ id, isShown, onToggle }: { id: string; isShown: boolean; onToggle: () => void }) {
  return (
    <label className="flex min-w-0 flex-1 items-center gap-2">
      <input type="checkbox" checked={isShown} disabled={id === 'name'} onChange={onToggle} />
      <span className="truncate">{nameOf(id)}</span>
    </label>
  )
}

function MoveButton({ label, icon, onClick }: { label: string; icon: React.ReactNode; onClick: () => void }) {
  return (
    <button type="button" aria-label={label} onClick={onClick} className={SMALL}>
      {icon}
    </button>
  )
}

/** The column that a typed path stands for; metadata may be named without `extra`. */
function columnOfPath(text: string): string | undefined {
  const path = parsePath(text.trim())
  if (path === undefined || path.length < 2) return undefined
  const id = jsonColumn(path[0] === 'metadata' ? ['extra', ...path] : path)
  return readColumn(id) && id
}

function nameOf(id: string): string {
  return columnOf(id)!.label
}

function kindOf(id: string): string {
  const made = readColumn(id)
  return made === undefined ? '' : made.kind === 'feedback' ? 'feedback' : 'metadata'
}

const SMALL =
  'inline-flex size-6 shrink-0 items-center justify-center rounded-control text-fg-subtle hover:bg-selected hover:text-fg coarse:size-10'
const ROW =
  'flex h-7 items-center gap-1 rounded-control px-1 text-row hover:bg-hover data-dragged:bg-selected coarse:h-10'
