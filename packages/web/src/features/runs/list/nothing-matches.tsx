import { useQueries } from '@tanstack/react-query'
import { FilterError } from '@touchstone/contract/filter'
import { SearchX } from 'lucide-react'
import { describeFilter, FILTER_SCOPES, parseChips, replaceChip } from '#lib/filter/chips.ts'
import { formatCount } from '#lib/format.ts'
import { type RunsSearch, toFilterSearch, toFilters } from '#lib/page-search.ts'
import { formatTimeRange, widen } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/states.tsx'
import { runsQuery } from '../queries.ts'

export interface NothingMatchesProps {
  projectId: string
  search: RunsSearch
  /** New runs that match. */
  waiting: number
  onShow: () => void
  onChange: (part: Partial<RunsSearch>) => void
}

/** A change of the view that would show runs. */
interface Suggestion {
  label: string
  part: Partial<RunsSearch>
}

/** Shown when the project has runs but none match: offers wider views, those with most runs first. */
export function NothingMatches({ projectId, search, waiting, onShow, onChange }: NothingMatchesProps) {
  const suggestions = suggestWiderViews(search)
  const counts = useQueries({
    queries: suggestions.map(({ part }) => {
      const wider = { ...search, ...part }
      return runsQuery.count({ projectId, scope: wider.scope, t: wider.t, filters: toFilters(wider) })
    }),
  })
  // A button that appears or changes its place meanwhile would move the others under the pointer.
  const isCounted = counts.every(({ isPending }) => !isPending)
  const offers = (isCounted ? suggestions : [])
    .map((suggestion, index) => ({ ...suggestion, count: counts[index]?.data }))
    .filter(({ count }) => count !== 0)
    .sort((a, b) => (b.count ?? 0) - (a.count ?? 0))
  return (
    <EmptyState
      icon={SearchX}
      title="No runs match this view"
      actions={
        <>
          {waiting > 0 && (
            <Button look="primary" onClick={onShow}>
              Show {waiting} new
            </Button>
          )}
          {offers.map(({ label, part, count }) => (
            <Button key={label} onClick={() => onChange(part)} className="max-w-full">
              <span className="truncate">{label}</span>
              {count !== undefined && <span className="num text-fg-muted">{formatCount(count)}</span>}
            </Button>
          ))}
        </>
      }
    >
      {[formatTimeRange(search.t), search.scope === 'traces' && 'traces (root runs)', ...describeConditions(search)]
        .filter(Boolean)
        .join(' · ')}
    </EmptyState>
  )
}

/** More buttons would not be readable. */
const MAX_CHIPS = 6

function suggestWiderViews(search: RunsSearch): Suggestion[] {
  const filters = toFilters(search)
  const chips = listChips(search)
  const wider = widen(search.t)
  return [
    ...chips.slice(0, MAX_CHIPS).map((chip) => ({
      label: `Without ${chip.filter ? describeFilter(chip.filter) : chip.text}`,
      part: toFilterSearch({ ...filters, [chip.scope]: replaceChip(filters[chip.scope] ?? '', chip, []) }),
    })),
    ...(chips.length > 1 ? [{ label: 'Without any filter', part: toFilterSearch({}) }] : []),
    ...(wider ? [{ label: formatTimeRange(wider), part: { t: wider } }] : []),
    ...(wider && wider !== 'all' ? [{ label: 'All time', part: { t: 'all' } }] : []),
    ...(search.scope === 'traces' ? [{ label: 'All runs, not only roots', part: { scope: 'runs' as const } }] : []),
  ]
}

function describeConditions(search: RunsSearch): string[] {
  return listChips(search).map(({ filter, text }) => (filter ? describeFilter(filter) : text))
}

function listChips(search: RunsSearch) {
  const filters = toFilters(search)
  return FILTER_SCOPES.flatMap((scope) => {
    const chips = parseChips(scope, filters[scope])
    return chips instanceof FilterError ? [] : chips
  })
}
