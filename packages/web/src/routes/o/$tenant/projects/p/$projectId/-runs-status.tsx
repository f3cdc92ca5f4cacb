import { Radio, RadioTower } from 'lucide-react'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { formatCount, zoneLabel } from '#lib/format/format.ts'
import { isOrderOfList } from './-sort-rows.ts'
import type { Runs } from './-use-runs.tsx'

export interface RunsStatusProps {
  runs: Runs
  /** Runs that match in all, once they are counted. */
  count: number | undefined
  /** As the address has it. */
  sort: string
  onReload: () => void
}

/** What the list holds, in one line. */
export function RunsStatus({ runs, count, sort, onReload }: RunsStatusProps) {
  const { list, rows } = runs
  return (
    <>
      <span role="status">{list.isSuccess && loadedOf(rows.length, list.hasNextPage, count)}</span>
      <span className="ml-auto hidden sm:inline">{orderOf(sort)}</span>
      <span className="hidden sm:inline">{zoneLabel('local')}</span>
      <button type="button" className={LINK} onClick={onReload}>
        Read again
      </button>
      {runs.isLive && <LiveMark error={runs.liveError} />}
    </>
  )
}

function orderOf(sort: string): string {
  if (!isOrderOfList(sort)) return 'loaded rows sorted'
  return sort === 'start_time' ? 'oldest first' : 'newest first'
}

/** `50 of 1,204 rows`; what came since it was counted is never left out. */
function loadedOf(loaded: number, isMore: boolean, count: number | undefined): string {
  const all = isMore ? count : loaded
  if (all === loaded) return `${formatCount(loaded)} ${loaded === 1 ? 'row' : 'rows'}`
  return all === undefined
    ? `${formatCount(loaded)}+ rows`
    : `${formatCount(loaded)} of ${formatCount(Math.max(all, loaded))} rows`
}

/** Failing polls are told here, where nothing of the list has to move. */
function LiveMark({ error }: { error: Error | null }) {
  if (error === null) {
    return (
      <span className="flex items-center gap-1">
        <Radio size={12} className="text-ok" aria-hidden />
        live
      </span>
    )
  }
  return (
    <span role="alert" title={describeFailure(error).message} className="flex items-center gap-1 text-err">
      <RadioTower size={12} aria-hidden />
      no live updates; trying again
    </span>
  )
}

const LINK = 'text-accent hover:underline'
