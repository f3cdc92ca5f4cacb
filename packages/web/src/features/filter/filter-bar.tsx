import { type FilterClause, FilterError } from '@touchstone/contract/filter'
import { Braces, ListFilterPlus, X } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import {
  addClauses,
  type Chip,
  FILTER_SCOPES,
  type FilterScope,
  type Filters,
  parseChips,
  replaceChip,
} from '#lib/filter/chips.ts'
import type { Typed } from '#lib/filter/quick.ts'
import { IconButton } from '#ui/button.tsx'
import { lazyExtra, onApproach } from '#ui/lazy.tsx'
import { Popover } from '#ui/popover.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { useAppliedValue } from '#ui/use-applied-value.tsx'
import { ChipEditor, FilterChip } from './filter-chip.tsx'
import { QuickInput } from './quick-input.tsx'
import type { Suggest } from './suggestions.tsx'

const TextEditor = lazyExtra(() => import('./text-editor.tsx').then((module) => module.TextEditor))

export interface FilterBarProps {
  /** The filters as stored in the URL. Unknown clauses are kept unchanged. */
  filters: Filters
  onChange: (filters: Filters) => void
  suggest: Suggest
  /** Learns whether there is text that is not applied, so that a form is not saved without it. */
  onPending?: (isPending: boolean) => void
}

/** Edits the filters of a list as chips, as typed text or as the filter string of the API. */
export function FilterBar({ suggest, onPending, ...props }: FilterBarProps) {
  const [filters, onChange] = useAppliedValue(props.filters, props.onChange, isSame)
  const [isText, setText] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const byScope = FILTER_SCOPES.map((scope) => parseChips(scope, filters[scope]))
  // Text that cannot be parsed has no chips, so only the text editor is shown.
  const isBroken = byScope.some((chips) => chips instanceof FilterError)
  const chips = byScope.flatMap((one) => (one instanceof FilterError ? [] : one))

  useShortcuts('List', [
    { keys: '/', label: 'Filter or search', run: () => input.current?.focus() },
    { keys: 'f', label: 'Add filter', run: () => setAdding(true) },
  ])

  function add(typed: Typed) {
    const next: { [Scope in FilterScope]?: string | undefined } = { ...filters }
    for (const { scope, clause } of typed) next[scope] = addClauses(next[scope], [clause])
    onChange(next)
  }
  function change(chip: Chip, scope: FilterScope, clauses: readonly FilterClause[]) {
    const own = filters[chip.scope] ?? ''
    if (scope === chip.scope) return onChange({ ...filters, [scope]: replaceChip(own, chip, clauses) })
    onChange({
      ...filters,
      [chip.scope]: replaceChip(own, chip, []),
      [scope]: addClauses(filters[scope], clauses),
    })
  }
  function focusChip(at: number) {
    const buttons = list.current?.querySelectorAll<HTMLElement>('[data-chip]') ?? []
    if (at >= buttons.length) input.current?.focus()
    else buttons[Math.max(at, 0)]?.focus()
  }

  return (
    <section
      aria-label="Filter"
      data-pane="filter"
      className="flex min-h-9 shrink-0 items-start gap-1 border-b border-border bg-surface px-3"
    >
      {isText || isBroken ? (
        <Suspense>
          <TextEditor
            key={JSON.stringify(filters)}
            filters={filters}
            onPending={onPending}
            onApply={(next) => {
              setText(false)
              onChange(next)
            }}
            onClose={() => setText(false)}
          />
        </Suspense>
      ) : (
        <>
          <ul ref={list} className="flex min-w-0 flex-1 flex-wrap items-center gap-1 py-[3px]">
            {chips.map((chip, at) => (
              <FilterChip
                key={`${chip.scope} ${chip.indexes.join()} ${chip.text}`}
                chip={chip}
                filters={{ ...filters, [chip.scope]: replaceChip(filters[chip.scope] ?? '', chip, []) }}
                suggest={suggest}
                onApply={(scope, clauses) => change(chip, scope, clauses)}
                onRemove={() => {
                  change(chip, chip.scope, [])
                  input.current?.focus()
                }}
                onWalk={(by) => focusChip(at + by)}
              />
            ))}
            <li className="flex min-w-40 flex-1 basis-48">
              <QuickInput
                inputRef={input}
                filters={filters}
                suggest={suggest}
                onPending={onPending}
                onTyped={add}
                onLeave={() => chips.length > 0 && focusChip(chips.length - 1)}
              />
            </li>
          </ul>
          <div className="flex shrink-0 items-center py-1">
            <Popover
              label="Add condition"
              align="end"
              preload={ChipEditor.preload}
              open={isAdding}
              onOpenChange={setAdding}
              className="w-[min(420px,calc(100vw-16px))]"
              trigger={<IconButton icon={ListFilterPlus} label="Add condition" keys="f" />}
            >
              <Suspense>
                <ChipEditor
                  chip={NEW_CHIP}
                  filters={filters}
                  suggest={suggest}
                  onRemove={undefined}
                  onApply={(scope, clauses) => {
                    setAdding(false)
                    onChange({ ...filters, [scope]: addClauses(filters[scope], clauses) })
                  }}
                />
              </Suspense>
            </Popover>
            <IconButton
              icon={Braces}
              label="Edit as text"
              {...onApproach(TextEditor.preload)}
              onClick={() => setText(true)}
            />
            {chips.length > 0 && <IconButton icon={X} label="Clear all filters" onClick={() => onChange({})} />}
          </div>
        </>
      )}
    </section>
  )
}

const isSame = (one: Filters, other: Filters) => FILTER_SCOPES.every((scope) => one[scope] === other[scope])

const NEW_CHIP = { scope: 'run', filter: undefined, text: '' } as const
