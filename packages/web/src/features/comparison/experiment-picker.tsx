import { useQuery } from '@tanstack/react-query'
import { Check, Plus } from 'lucide-react'
import { useState } from 'react'
import { formatRelativeTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { FIELD } from '#ui/field.tsx'
import { Popover } from '#ui/popover.tsx'
import { useSettledText } from '#ui/search-field.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { MAX_EXPERIMENTS } from './logic/compare-state.ts'
import { comparisonQuery } from './queries.ts'

export interface ExperimentPickerProps {
  datasetId: string
  selectedIds: readonly string[]
  onAdd: (id: string) => void
  onRemove: (id: string) => void
}

/** Adds experiments over the same dataset to the comparison. */
export function ExperimentPicker(props: ExperimentPickerProps) {
  return (
    <Popover
      label="Experiments to compare"
      className="w-80 max-w-[calc(100vw-24px)]"
      trigger={
        <Button>
          <Plus size={13} aria-hidden />
          Experiment
        </Button>
      }
    >
      <Choices {...props} />
    </Popover>
  )
}

function Choices({ datasetId, selectedIds, onAdd, onRemove }: ExperimentPickerProps) {
  const [text, setText] = useState('')
  const choices = useQuery(comparisonQuery.choices(datasetId, useSettledText(text.trim())))
  const isFull = selectedIds.length >= MAX_EXPERIMENTS
  return (
    <div className="flex max-h-[60vh] flex-col gap-2 p-2">
      <input
        type="search"
        aria-label="Search experiments"
        placeholder="Search experiments"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={FIELD}
      />
      {isFull && <p className="text-meta text-fg-muted">A comparison has {MAX_EXPERIMENTS} experiments at most.</p>}
      {choices.error && !choices.data && (
        <ErrorState
          compact
          title="Could not load experiments"
          error={choices.error}
          onRetry={() => void choices.refetch()}
        />
      )}
      {choices.isPending && <SkeletonRows rows={4} label="Loading experiments" />}
      <ul className="min-h-0 overflow-y-auto">
        {choices.data?.map(({ id, name, start_time }) => {
          const isSelected = selectedIds.includes(id)
          return (
            <li key={id}>
              <button
                type="button"
                aria-pressed={isSelected}
                disabled={!isSelected && isFull}
                onClick={() => (isSelected ? onRemove(id) : onAdd(id))}
                className="flex min-h-7 w-full items-center gap-2 rounded-control px-2 text-left text-row hover:bg-hover disabled:opacity-50 coarse:min-h-10"
              >
                <span className="size-3.5 shrink-0">{isSelected && <Check size={14} aria-hidden />}</span>
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {name}
                </span>
                <span className="shrink-0 text-meta text-fg-subtle">{formatRelativeTime(start_time)}</span>
              </button>
            </li>
          )
        })}
      </ul>
      {choices.data?.length === 0 && <p className="text-row text-fg-muted">No experiment has this name.</p>}
    </div>
  )
}
