import { Radio, RadioTower } from 'lucide-react'
import { describeFailure } from '#lib/errors.ts'
import { formatCount, pluralize, zoneLabel } from '#lib/format.ts'
import type { LiveRuns, RunList } from './use-runs.tsx'
import { describeOrder } from './views/runs-view.ts'

export interface RunsStatusProps {
  list: RunList
  live: LiveRuns
  /** Matching runs in total, once counted. */
  count: number | undefined
  /** How many of them start in the future, and are in no chart. */
  futureCount: number | undefined
  /** As in the URL. */
  sort: string
  /** Labels of columns that have no place in the list. */
  hiddenColumns: readonly string[]
  onReload: () => void
}

/** Loaded rows, order, time zone and live state. */
export function RunsStatus({ list, live, count, futureCount, sort, hiddenColumns, onReload }: RunsStatusProps) {
  return (
    <>
      <span role="status">{list.query.isSuccess && formatLoaded(list.rows.length, list.query.hasNextPage, count)}</span>
      {futureCount !== undefined && futureCount > 0 && (
        <span className="text-warn" title="The clock of a program is ahead. No chart has a place for these runs.">
          {formatCount(futureCount)} in the future
        </span>
      )}
      {hiddenColumns.length > 0 && (
        <span className="hidden sm:inline" title={`Too narrow for ${hiddenColumns.join(', ')}`}>
          {pluralize(hiddenColumns.length, 'column')} hidden
        </span>
      )}
      <span className="ml-auto hidden sm:inline">{describeOrder(sort)}</span>
      <span className="hidden sm:inline">{zoneLabel()}</span>
      <button type="button" className={LINK} onClick={onReload}>
        Refresh
      </button>
      {live.isOn && <LiveMark error={live.error} />}
      {live.isPaused && (
        <span title="New runs are not added while the list is sorted by a figure. Refresh reads them.">
          Live paused
        </span>
      )}
    </>
  )
}

/** `50 of 1,204 rows`. The total is never below the loaded rows, which may be newer than the count. */
function formatLoaded(loaded: number, hasMore: boolean, count: number | undefined): string {
  const total = hasMore ? count : loaded
  if (total === loaded) return pluralize(loaded, 'row')
  return total === undefined
    ? `${formatCount(loaded)}+ rows`
    : `${formatCount(loaded)} of ${formatCount(Math.max(total, loaded))} rows`
}

/** Failed polls are shown here, where the list does not have to move. */
function LiveMark({ error }: { error: Error | null }) {
  if (error === null) {
    return (
      <span className="flex items-center gap-1">
        <Radio size={12} className="text-ok" aria-hidden />
        Live
      </span>
    )
  }
  return (
    <span role="alert" title={describeFailure(error).message} className="flex items-center gap-1 text-err">
      <RadioTower size={12} aria-hidden />
      Live updates failed. Retrying…
    </span>
  )
}

const LINK = 'text-accent hover:underline'
