import { ChevronDown, ChevronUp } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { DEFAULT_COLUMNS, RUN_COLUMNS } from './-runs-columns.tsx'

export interface ColumnMenuProps {
  /** Shown columns in order. */
  columns: readonly string[]
  /** `undefined` brings back the default set. */
  onChange: (columns: readonly string[] | undefined) => void
}

/** Which columns are shown, and in which order. The name stays first. */
export function ColumnMenu({ columns, onChange }: ColumnMenuProps) {
  const [sought, setSought] = useState('')
  const hidden = Object.keys(RUN_COLUMNS).filter((id) => !columns.includes(id))
  const found = [...columns, ...hidden].filter((id) => labelOf(id).toLowerCase().includes(sought.trim().toLowerCase()))
  const set = (next: readonly string[]) => onChange(next.join() === DEFAULT_COLUMNS.join() ? undefined : next)

  function toggle(id: string) {
    set(columns.includes(id) ? columns.filter((one) => one !== id) : [...columns, id])
  }
  function move(id: string, by: -1 | 1) {
    const at = columns.indexOf(id)
    const to = at + by
    if (to < 1 || to >= columns.length) return
    set(columns.with(at, columns[to]!).with(to, id))
  }

  return (
    <>
      <input
        type="search"
        aria-label="Find a column"
        placeholder="Find a column"
        value={sought}
        onChange={(event) => setSought(event.target.value)}
        className="mb-1 h-7 w-full rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
      />
      <ul>
        {found.map((id) => (
          <li
            key={id}
            className="group flex h-7 items-center gap-1 rounded-control px-1 text-row hover:bg-hover coarse:h-10"
          >
            <label className="flex min-w-0 flex-1 items-center gap-2">
              <input
                type="checkbox"
                checked={columns.includes(id)}
                disabled={id === 'name'}
                onChange={() => toggle(id)}
              />
              <span className="truncate">{labelOf(id)}</span>
            </label>
            {columns.includes(id) && id !== 'name' && (
              <>
                <MoveButton
                  label={`Move ${labelOf(id)} up`}
                  icon={<ChevronUp size={13} />}
                  onClick={() => move(id, -1)}
                />
                <MoveButton
                  label={`Move ${labelOf(id)} down`}
                  icon={<ChevronDown size={13} />}
                  onClick={() => move(id, 1)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      <div className="mt-1 flex justify-end border-t border-border pt-2">
        <Button look="quiet" onClick={() => onChange(undefined)}>
          Default columns
        </Button>
      </div>
    </>
  )
}

function MoveButton({ label, icon, onClick }: { label: string; icon: React.ReactNode; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="inline-flex size-6 items-center justify-center rounded-control text-fg-subtle hover:bg-selected hover:text-fg"
    >
      {icon}
    </button>
  )
}

function labelOf(id: string): string {
  return RUN_COLUMNS[id]!.label
}
