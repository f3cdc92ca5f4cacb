import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { cx } from '#lib/browser.ts'
import type { Filters } from '#lib/filter/chips.ts'
import { formatCount } from '#lib/format.ts'
import { useSettledText } from '#ui/search-field.tsx'
import type { ObservedValue, observedValuesQuery, ValueRequest } from './queries.ts'

export interface Option {
  /** Unique in its list. */
  id: string
  label: string
  /** Explanation after the label. */
  note?: string | undefined
  /** Number of runs, at the end of the row. */
  count?: number | undefined
}

export interface OptionsListProps {
  /** Id of the listbox; options have the ids `id-0`, `id-1`, … */
  id: string
  label: string
  options: readonly Option[]
  /** Index of the option that Enter picks. */
  active: number
  onPick: (option: Option) => void
  className?: string
}

/** Options below a text field that keeps the focus. */
export function OptionsList({ id, label, options, active, onPick, className }: OptionsListProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label={label}
      className={cx('max-h-72 overflow-y-auto overscroll-contain', className)}
    >
      {options.map((option, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field owns the keys
        <div
          key={option.id}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          ref={at === active ? scrollIntoView : undefined}
          // Keeps the focus in the text field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(option)}
          className="flex min-h-7 cursor-default items-center gap-3 rounded-control px-2 text-row hover:bg-hover aria-selected:bg-selected coarse:min-h-10"
        >
          <span className="max-w-80 truncate">{option.label === '' ? '(empty)' : option.label}</span>
          {option.note !== undefined && <span className="min-w-0 truncate text-fg-subtle">{option.note}</span>}
          {option.count !== undefined && (
            <span className="num ml-auto shrink-0 text-fg-muted">{formatCount(option.count)}</span>
          )}
        </div>
      ))}
    </div>
  )
}

function scrollIntoView(node: HTMLElement | null) {
  node?.scrollIntoView({ block: 'nearest' })
}

/**
 * Source of the observed values.
 *
 * @param filters  the filters that apply besides the edited condition
 */
export type Suggest = (ask: ValueRequest, filters: Filters) => ReturnType<typeof observedValuesQuery>

/** Observed values for the edited text; keeps the previous ones while loading. */
export function useSuggestions(
  suggest: Suggest,
  ask: ValueRequest,
  filters: Filters,
  isWanted: boolean,
): ObservedValue[] {
  const settled = useSettledText(JSON.stringify(ask))
  const late = useMemo((): ValueRequest => JSON.parse(settled), [settled])
  const options = suggest(late, filters)
  const { data } = useQuery({
    ...options,
    enabled: isWanted && options.enabled !== false,
    placeholderData: keepPreviousData,
  })
  return isWanted && options.enabled !== false ? (data ?? []) : []
}
