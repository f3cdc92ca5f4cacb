import type { FilterClause } from '@touchstone/contract/filter'
import { X } from 'lucide-react'
import { type KeyboardEvent, Suspense, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { type Chip, describeFilter, type FilterScope, type Filters } from '#lib/filter/chips.ts'
import { lazyExtra } from '#ui/lazy.tsx'
import { Popover } from '#ui/popover.tsx'
import type { Suggest } from './suggestions.tsx'

/** The form of a condition. */
export const ChipEditor = lazyExtra(() => import('./chip-editor.tsx').then((module) => module.ChipEditor))

export interface FilterChipProps {
  chip: Chip
  filters: Filters
  suggest: Suggest
  onApply: (scope: FilterScope, clauses: readonly FilterClause[]) => void
  onRemove: () => void
  /** Arrow keys move the focus to the previous or next chip. */
  onWalk: (by: -1 | 1) => void
}

/** One condition of the filter bar. A click opens its form, Delete removes it. */
export function FilterChip({ chip, filters, suggest, onApply, onRemove, onWalk }: FilterChipProps) {
  const [isOpen, setOpen] = useState(false)
  const said = chip.filter ? describeFilter(chip.filter) : chip.text
  const label = chip.scope === 'run' ? said : `${PREFIX[chip.scope]}: ${said}`
  const isCustom = chip.filter === undefined

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault()
      onRemove()
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      event.preventDefault()
      onWalk(event.key === 'ArrowLeft' ? -1 : 1)
    }
  }
  return (
    <li
      className={cx(
        'inline-flex h-6 max-w-full items-center rounded-control border bg-sunken text-row coarse:h-9',
        isCustom ? 'border-err' : 'border-border',
      )}
    >
      <Popover
        label="Edit condition"
        preload={ChipEditor.preload}
        open={isOpen}
        onOpenChange={setOpen}
        className="w-[min(420px,calc(100vw-16px))]"
        trigger={
          <button
            type="button"
            data-chip
            title={isCustom ? `${label}\n${chip.error?.message ?? ''}` : label}
            onKeyDown={onKeyDown}
            className="h-full min-w-0 max-w-96 truncate rounded-control px-2 hover:bg-hover"
          >
            {chip.scope !== 'run' && <span className="text-accent">{PREFIX[chip.scope]}: </span>}
            {isCustom && <span className="text-err">custom: </span>}
            <span className={cx(isCustom && 'font-mono text-meta')}>{said}</span>
          </button>
        }
      >
        <Suspense>
          <ChipEditor
            chip={chip}
            filters={filters}
            suggest={suggest}
            onApply={(scope, clauses) => {
              setOpen(false)
              onApply(scope, clauses)
            }}
            onRemove={onRemove}
          />
        </Suspense>
      </Popover>
      <button
        type="button"
        aria-label={`Remove ${label}`}
        onClick={onRemove}
        className="inline-flex h-full w-6 shrink-0 items-center justify-center rounded-control text-fg-subtle hover:bg-hover hover:text-fg"
      >
        <X size={12} aria-hidden />
      </button>
    </li>
  )
}

const PREFIX: Readonly<Record<FilterScope, string>> = { run: '', root: 'root', tree: 'any' }
