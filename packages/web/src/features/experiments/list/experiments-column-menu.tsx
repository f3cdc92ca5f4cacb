import { ChevronDown, ChevronUp } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { useAppliedValue } from '#ui/use-applied-value.tsx'
import { type ColumnChoice, findColumnChoice, moveColumn } from '../experiment-columns.ts'

export interface ExperimentsColumnMenuProps {
  /** All columns that can be shown. */
  choices: readonly ColumnChoice[]
  /** Shown columns in order. */
  columns: readonly string[]
  /** `undefined` restores the default columns. */
  onChange: (columns: readonly string[] | undefined) => void
}

type Columns = readonly string[]
const areSame = (one: Columns | undefined, other: Columns | undefined) => one?.join() === other?.join()

/** Shows, hides and orders columns. The name stays first. */
export function ExperimentsColumnMenu({ choices, ...props }: ExperimentsColumnMenuProps) {
  const [applied, onChange] = useAppliedValue<Columns | undefined>(props.columns, props.onChange, areSame)
  // The default columns are shown once the page has them.
  const columns = applied ?? props.columns
  const [search, setSearch] = useState('')
  const matches = ({ label }: ColumnChoice) => label.toLowerCase().includes(search.trim().toLowerCase())
  const shown = columns.flatMap((id) => findColumnChoice(id) ?? []).filter(matches)
  const hidden = choices.filter((choice) => !columns.includes(choice.id) && matches(choice))
  return (
    <>
      <input
        type="search"
        aria-label="Find a column"
        placeholder="Find a column"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className="mb-1 h-7 w-full rounded-control border border-border-strong bg-surface px-2 text-row coarse:h-10"
      />
      <ul aria-label="Shown columns">
        {shown.map((choice) => (
          <li key={choice.id} className={ROW}>
            <ColumnCheckbox
              choice={choice}
              isShown
              onToggle={() => onChange(columns.filter((id) => id !== choice.id))}
            />
            {choice.id !== 'name' && (
              <>
                <MoveButton
                  label={`Move ${choice.label} up`}
                  icon={ChevronUp}
                  onClick={() => onChange(moveColumn(columns, choice.id, -1))}
                />
                <MoveButton
                  label={`Move ${choice.label} down`}
                  icon={ChevronDown}
                  onClick={() => onChange(moveColumn(columns, choice.id, 1))}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      {hidden.length > 0 && (
        <ul aria-label="Other columns" className="mt-1 border-t border-border pt-1">
          {hidden.map((choice) => (
            <li key={choice.id} className={ROW}>
              <ColumnCheckbox choice={choice} isShown={false} onToggle={() => onChange([...columns, choice.id])} />
              {choice.kind !== 'built-in' && <span className="shrink-0 text-meta text-fg-subtle">{choice.kind}</span>}
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

function ColumnCheckbox(props: { choice: ColumnChoice; isShown: boolean; onToggle: () => void }) {
  const { id, label } = props.choice
  return (
    <label className="flex min-w-0 flex-1 items-center gap-2">
      <input type="checkbox" checked={props.isShown} disabled={id === 'name'} onChange={props.onToggle} />
      <span className="truncate" title={label}>
        {label}
      </span>
    </label>
  )
}

function MoveButton({ label, icon: Icon, onClick }: { label: string; icon: typeof ChevronUp; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-control text-fg-subtle hover:bg-selected hover:text-fg coarse:size-10"
    >
      <Icon size={13} aria-hidden />
    </button>
  )
}

const ROW = 'flex h-7 items-center gap-1 rounded-control px-1 text-row hover:bg-hover coarse:h-10'
