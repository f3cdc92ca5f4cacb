import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ListFilter, X } from 'lucide-react'
import { type ReactNode, type Ref, useMemo, useState } from 'react'
import { MetadataFilterForm } from '#features/datasets/examples/metadata-filter-form.tsx'
import { exampleQuery } from '#features/datasets/examples/queries.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Menu, MenuRadio } from '#ui/menu.tsx'
import { Popover } from '#ui/popover.tsx'
import { SearchField } from '#ui/search-field.tsx'
import type { Comparison } from '../comparison.ts'
import { listSplits } from '../logic/comparison-rows.ts'
import { describeCondition } from '../logic/describe-condition.ts'
import { isFiltering, isSameShow, printConditions, printShows, type ShowKind, toggleShow } from '../logic/row-filter.ts'
import { ConditionForm } from './condition-form.tsx'

const ALL = 'all'

/** Removes every filter of the rows. */
export const NO_FILTERS = {
  show: undefined,
  split: undefined,
  filter: undefined,
  q: undefined,
  meta: undefined,
} as const

/** The filters of the rows. They combine: a row matches all of them. */
export function RowFilters({ comparison, fieldRef }: { comparison: Comparison; fieldRef: Ref<HTMLInputElement> }) {
  const { cells, filter, search, change, rows, measured } = comparison
  const splits = useMemo(() => listSplits(cells), [cells])
  return (
    <search className="flex flex-wrap items-center gap-1.5 border-b max-lg:shrink-0 max-lg:flex-nowrap max-lg:overflow-x-auto border-border bg-surface px-3 py-1.5">
      <SearchField
        ref={fieldRef}
        label="Search texts"
        placeholder="Search input, reference, output"
        value={search.q ?? ''}
        onChange={(q) => change({ q: q || undefined }, 'replace')}
        className="w-56"
      />
      {measured.baseline !== undefined && (
        <>
          <Preset comparison={comparison} kind="worse">
            Only worse
          </Preset>
          <Preset comparison={comparison} kind="different">
            Only different
          </Preset>
        </>
      )}
      <Preset comparison={comparison} kind="errors">
        Errors
      </Preset>
      <Preset comparison={comparison} kind="missing">
        Not scored
      </Preset>
      {(splits.length > 1 || search.split !== undefined) && (
        <Menu
          trigger={
            <Button aria-pressed={search.split !== undefined} className="aria-pressed:border-accent">
              {search.split === undefined ? 'All splits' : `Split: ${search.split}`}
              <ChevronDown size={13} aria-hidden />
            </Button>
          }
        >
          <MenuRadio
            value={search.split ?? ALL}
            onChange={(split) => change({ split: split === ALL ? undefined : split })}
            options={[{ value: ALL, label: 'All splits' }, ...splits.map((split) => ({ value: split, label: split }))]}
          />
        </Menu>
      )}
      {filter.conditions.map((condition, at) => (
        <span
          key={JSON.stringify(condition)}
          className="inline-flex h-7 items-center gap-1 rounded-control border border-accent bg-selected pl-2 text-row coarse:h-10"
        >
          <span className="max-w-80 truncate">{describeCondition(cells, condition)}</span>
          <IconButton
            icon={X}
            label="Remove the filter"
            onClick={() => change({ filter: printConditions(filter.conditions.filter((_, index) => index !== at)) })}
          />
        </span>
      ))}
      <MetadataFilter comparison={comparison} />
      <AddFilter comparison={comparison} />
      <span className="ml-auto whitespace-nowrap text-meta tabular-nums text-fg-muted" role="status">
        {isFiltering(filter) && `${formatCount(rows.length)} of ${pluralize(cells.exampleIds.length, 'example')}`}
      </span>
      {isFiltering(filter) && (
        <Button look="quiet" onClick={() => change(NO_FILTERS)}>
          Clear
        </Button>
      )}
    </search>
  )
}

interface PresetProps {
  comparison: Comparison
  kind: ShowKind
  children: ReactNode
}

function Preset({ comparison: { filter, change }, kind, children }: PresetProps) {
  return (
    <Button
      aria-pressed={filter.shows.some((show) => isSameShow(show, { kind }))}
      onClick={() => change({ show: printShows(toggleShow(filter.shows, { kind })) })}
      className="aria-pressed:border-accent aria-pressed:bg-selected"
    >
      {children}
    </Button>
  )
}

/** Selects examples by their metadata. */
function MetadataFilter({ comparison: { view, search, change } }: { comparison: Comparison }) {
  const { meta = '' } = search
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      label="Filter by metadata"
      open={isOpen}
      onOpenChange={setOpen}
      className="w-80 max-w-[calc(100vw-24px)]"
      trigger={
        <Button aria-pressed={meta !== ''} className="aria-pressed:border-accent aria-pressed:bg-selected">
          <span className="max-w-64 truncate">{meta === '' ? 'Metadata' : meta}</span>
          <ChevronDown size={13} aria-hidden />
        </Button>
      }
    >
      <MetadataForm
        view={view}
        filter={meta}
        onApply={(next) => {
          change({ meta: next || undefined })
          setOpen(false)
        }}
      />
    </Popover>
  )
}

const FIRST_EXAMPLES = { conditions: {}, order: {} }

interface MetadataFormProps {
  view: Comparison['view']
  filter: string
  onApply: (filter: string) => void
}

/** Suggests the metadata keys of the first examples. */
function MetadataForm({ view: { datasetId, share }, filter, onApply }: MetadataFormProps) {
  const first = useQuery(exampleQuery.page({ datasetId, share, ...FIRST_EXAMPLES }, 0))
  const keys = [...new Set((first.data ?? []).flatMap(({ metadata }) => Object.keys(metadata ?? {})))].sort()
  return <MetadataFilterForm filter={filter} keys={keys} onApply={onApply} />
}

function AddFilter({ comparison }: { comparison: Comparison }) {
  const { filter, change } = comparison
  return (
    <Popover
      label="Add a filter"
      className="w-80 max-w-[calc(100vw-24px)]"
      trigger={
        <Button>
          <ListFilter size={13} aria-hidden />
          Filter
        </Button>
      }
    >
      <ConditionForm
        comparison={comparison}
        onAdd={(condition) => change({ filter: printConditions([...filter.conditions, condition]) })}
      />
    </Popover>
  )
}
