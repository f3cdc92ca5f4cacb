import { SearchX } from 'lucide-react'
import type { RunsSearch } from '#lib/runs-search.ts'
import { labelOfTimeRange, widen } from '#lib/time-range.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'

export interface NothingMatchesProps {
  search: RunsSearch
  /** Runs that match and came just now. */
  waiting: number
  onShow: () => void
  onChange: (part: Partial<RunsSearch>) => void
}

/** The project has runs, but this view hides them: which conditions there are, each with its way out. */
export function NothingMatches({ search, waiting, onShow, onChange }: NothingMatchesProps) {
  const wider = widen(search.t)
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
          {wider && <Button onClick={() => onChange({ t: wider })}>{labelOfTimeRange(wider)}</Button>}
          {wider && wider !== 'all' && <Button onClick={() => onChange({ t: 'all' })}>All time</Button>}
          {search.type && <Button onClick={() => onChange({ type: undefined })}>Any type</Button>}
          {search.errors && <Button onClick={() => onChange({ errors: undefined })}>Not only errors</Button>}
          {search.scope === 'traces' && (
            <Button onClick={() => onChange({ scope: 'runs' })}>All runs, not only roots</Button>
          )}
        </>
      }
    >
      {[
        labelOfTimeRange(search.t),
        search.scope === 'traces' && 'traces (root runs)',
        search.type && `type ${search.type}`,
        search.errors && 'errors only',
      ]
        .filter(Boolean)
        .join(' · ')}
    </EmptyState>
  )
}
