import { ArrowDown, ArrowUp, CircleX, Equal } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import type { Comparison } from '../comparison.ts'
import { countFailedExamples } from '../logic/comparison.ts'
import { countOutcomes } from '../logic/comparison-measures.ts'
import { isSameShow, printShows, type ShowKind, toggleShow } from '../logic/row-filter.ts'

/** How many examples are better, worse, the same, failed or missing; each count filters the rows. */
export function OutcomeFilters({ comparison, experiment }: { comparison: Comparison; experiment: number }) {
  const { cells, measured } = comparison
  const compared = cells.experiments[experiment]
  const isCompared = measured.baseline !== undefined && experiment !== measured.baseline
  const counts = useMemo(
    () => (isCompared ? countOutcomes(measured, experiment, cells.exampleIds.keys()) : undefined),
    [isCompared, measured, experiment, cells],
  )
  const errors = useMemo(() => (compared ? countFailedExamples(compared) : 0), [compared])
  if (compared === undefined) return null
  const props = { comparison, experimentId: compared.id }
  return (
    <div className="flex flex-wrap gap-1">
      {counts && (
        <>
          <ShowButton {...props} kind="better" count={counts.better} icon={<ArrowUp size={12} aria-hidden />} />
          <ShowButton {...props} kind="worse" count={counts.worse} icon={<ArrowDown size={12} aria-hidden />} />
          <ShowButton {...props} kind="same" count={counts.same} icon={<Equal size={12} aria-hidden />} />
          {counts.missing > 0 && <ShowButton {...props} kind="missing" count={counts.missing} />}
        </>
      )}
      {errors > 0 && <ShowButton {...props} kind="errors" count={errors} icon={<CircleX size={12} aria-hidden />} />}
    </div>
  )
}

const TONES: Record<ShowKind, string> = {
  better: 'text-ok',
  worse: 'text-err',
  errors: 'text-err',
  same: 'text-fg-muted',
  missing: 'text-fg-muted',
  different: 'text-fg-muted',
}

interface ShowButtonProps {
  comparison: Comparison
  experimentId: string
  kind: ShowKind
  count: number
  icon?: ReactNode
}

function ShowButton({ comparison: { filter, change }, experimentId, kind, count, icon }: ShowButtonProps) {
  const show = { kind, experiment: experimentId }
  return (
    <button
      type="button"
      aria-pressed={filter.shows.some((one) => isSameShow(one, show))}
      onClick={() => change({ show: printShows(toggleShow(filter.shows, show)) })}
      className={cx(
        'inline-flex h-6 items-center gap-1 rounded-control border border-border bg-surface px-1.5 text-meta tabular-nums hover:bg-hover aria-pressed:border-accent aria-pressed:bg-selected coarse:h-10',
        TONES[kind],
      )}
    >
      {icon}
      {formatCount(count)} {kind}
    </button>
  )
}
