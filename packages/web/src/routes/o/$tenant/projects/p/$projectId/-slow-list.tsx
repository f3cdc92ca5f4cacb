import { Hourglass } from 'lucide-react'
import type { RunsSearch } from '#lib/url/runs-search.ts'
import { Button } from '#ui/button.tsx'
import { useLate } from '#ui/use-late.tsx'
import type { Runs } from './-use-runs.tsx'

/** How long a list may be read before its reader is offered a way out. */
const LONG_MS = 10_000

export interface SlowListProps {
  runs: Runs
  search: RunsSearch
  onChange: (part: Partial<RunsSearch>) => void
}

/** A strip above a list that is long in coming, or that was cancelled: stop, narrow, read on. */
export function SlowList({ runs: { list, cancel }, search, onChange }: SlowListProps) {
  const isReading = list.isFetching && !list.isFetchingNextPage
  const isLong = useLate(isReading, LONG_MS)
  const isCancelled = !list.isFetching && (list.isPending || list.isPlaceholderData)
  if (!isLong && !isCancelled) return null
  return (
    <div role="status" className="flex flex-wrap items-center gap-2 border-b border-border bg-sunken px-3 py-1.5">
      <Hourglass size={14} className="text-warn" aria-hidden />
      <p className="text-row">{isLong ? 'Still looking for runs.' : 'The search was cancelled.'}</p>
      {isLong ? (
        <Button onClick={cancel}>Cancel</Button>
      ) : (
        <Button onClick={() => void list.refetch()}>Search again</Button>
      )}
      {search.t !== '24h' && search.t !== '1h' && <Button onClick={() => onChange({ t: '24h' })}>Last 24 hours</Button>}
    </div>
  )
}
