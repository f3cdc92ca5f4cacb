import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { CONTROL } from '#ui/field.tsx'

interface SplitsFieldProps {
  splits: readonly string[]
  onChange: (splits: readonly string[]) => void
  /** Splits of the dataset, suggested while the user types. */
  known: readonly string[]
  readOnly: boolean
}

/** The splits of an example as labels, and a field that adds one. */
export function SplitsField({ splits, onChange, known, readOnly }: SplitsFieldProps) {
  const [name, setName] = useState('')
  const listId = useId()
  const typed = name.trim()
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {splits.map((split) => (
        <span
          key={split}
          className="inline-flex max-w-60 items-center gap-1 rounded-control bg-sunken px-2 py-0.5 text-row"
        >
          <span className="truncate">{split}</span>
          {!readOnly && splits.length > 1 && (
            <button
              type="button"
              aria-label={`Remove from the split ${split}`}
              onClick={() => onChange(splits.filter((one) => one !== split))}
              className="inline-flex size-6 items-center justify-center rounded-control text-fg-muted hover:bg-hover coarse:size-10"
            >
              <X size={12} aria-hidden />
            </button>
          )}
        </span>
      ))}
      {!readOnly && (
        <form
          className="flex items-center gap-1.5"
          onSubmit={(event) => {
            event.preventDefault()
            if (typed !== '' && !splits.includes(typed)) onChange([...splits, typed])
            setName('')
          }}
        >
          <input
            aria-label="Add to a split"
            placeholder={splits.length === 0 ? 'Split (base)' : 'Add to a split'}
            list={listId}
            value={name}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
            className={`${CONTROL} w-40`}
          />
          <Button type="submit" disabled={typed === ''}>
            Add
          </Button>
          <datalist id={listId}>
            {known
              .filter((one) => !splits.includes(one))
              .map((one) => (
                <option key={one} value={one} />
              ))}
          </datalist>
        </form>
      )}
    </div>
  )
}
