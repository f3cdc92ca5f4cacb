import { useQuery } from '@tanstack/react-query'
import { TrendingDown, TrendingUp } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { formatCount, formatRate, formatScore, formatScoreDelta, pluralize, UNKNOWN } from '#lib/format.ts'
import { printSearch } from '#lib/search-schema.ts'
import { LightLink } from '#ui/light-link.tsx'
import { Skeleton } from '#ui/states.tsx'
import { describeDifference, type ShownDifference } from '../difference.ts'
import type { ListRow } from '../experiment-list.ts'
import type { ExperimentRow, Figures, KeyMean, Progress } from '../experiment-row.ts'
import { experimentQuery } from '../queries.ts'

export interface CellContext {
  readonly tenant: string
  readonly datasetId: string
  /** The pinned baseline. */
  readonly baseline: ExperimentRow | undefined
}

interface ScoreCellProps {
  row: ListRow
  feedbackKey: string
  context: CellContext
}

/** The mean of a key; for an experiment also its interval, or the difference to the baseline. */
export function ScoreCell({ row, feedbackKey, context }: ScoreCellProps) {
  const score = row.figures.feedback.get(feedbackKey)
  if (score === undefined) return <span className="text-fg-subtle">{UNKNOWN}</span>
  const isCompared =
    row.kind === 'experiment' &&
    context.baseline !== undefined &&
    context.baseline.id !== row.id &&
    !score.isOfExperiment
  return (
    <span className="inline-flex max-w-full items-baseline justify-end gap-1.5">
      <span title={describeMean(score)}>{formatScore(score.mean)}</span>
      {isCompared && row.kind === 'experiment' ? (
        <Difference experiment={row.experiment} feedbackKey={feedbackKey} context={context} />
      ) : (
        score.margin !== undefined && <span className="text-fg-subtle">± {formatScore(score.margin)}</span>
      )}
    </span>
  )
}

function describeMean({ mean, count, margin, isOfExperiment }: KeyMean): string {
  if (isOfExperiment) return `${mean}, a score of the experiment as a whole`
  const interval =
    margin === undefined ? '' : `, 95 % interval ${formatScore(mean - margin)} to ${formatScore(mean + margin)}`
  return `${mean}, mean of ${pluralize(count, 'score')}${interval}`
}

interface DifferenceProps {
  experiment: ExperimentRow
  feedbackKey: string
  context: CellContext
}

/** Loaded while the row is in view. */
function Difference({ experiment, feedbackKey, context: { tenant, datasetId, baseline } }: DifferenceProps) {
  const baselineId = baseline?.id ?? ''
  const differences = useQuery(
    experimentQuery.differences({
      datasetId,
      baselineId,
      experimentId: experiment.id,
      revision: countScores(experiment.figures),
    }),
  )
  if (differences.isError) return <span title="Could not load the difference to the baseline">!</span>
  if (differences.data === undefined) return <Skeleton className="w-9" />
  const comparison = differences.data.get(feedbackKey)
  const shown = comparison && describeDifference(comparison, baseline?.name ?? '')
  if (shown === undefined) return null
  const search = { selectedSessions: `${baselineId},${experiment.id}`, metric: feedbackKey }
  return (
    <LightLink
      href={`/o/${tenant}/datasets/${datasetId}/compare${printSearch(search)}`}
      tabIndex={-1}
      title={shown.description}
      aria-label={`${feedbackKey} of ${experiment.name}: ${shown.description}`}
      className={cx('inline-flex items-center gap-0.5 hover:underline', TONES[shown.tone])}
    >
      {formatScoreDelta(shown.delta)}
      <ToneIcon {...shown} />
    </LightLink>
  )
}

const TONES = { better: 'text-ok', worse: 'text-err', unclear: 'text-fg-subtle' }

function ToneIcon({ tone, delta }: ShownDifference) {
  if (tone === 'unclear') return null
  const Icon = delta > 0 ? TrendingUp : TrendingDown
  return <Icon size={12} aria-hidden className="self-center" />
}

/** Changes when scores arrive. */
function countScores({ feedback }: Figures): string {
  return [...feedback].map(([key, { count, mean }]) => `${key} ${count} ${mean}`).join()
}

/** Number of runs; while an experiment is running or incomplete, also how many there will be. */
export function RunsCell({ name, progress }: { name: string; progress: Progress }) {
  const { state, runCount, expected, isEstimate, scored } = progress
  if (state === 'done' || expected === undefined) return <>{formatCount(runCount)}</>
  const share = Math.min(1, expected === 0 ? 1 : runCount / expected, scored ?? 1)
  const text = `${formatCount(runCount)} of ${isEstimate ? '~' : ''}${formatCount(expected)}`
  const scores = scored === undefined ? '' : `, ${formatRate(scored)} of the scores`
  const title = `${text} runs${scores}. ${state === 'running' ? 'Running.' : 'Stopped: nothing has arrived for ten minutes, or the program ended early.'}`
  return (
    <span className="flex flex-col items-stretch gap-0.5" title={title}>
      <span className={cx('leading-none', state === 'stopped' && 'text-warn')}>{text}</span>
      <span
        role="progressbar"
        aria-label={`Progress of ${name}`}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={title}
        className="h-1 overflow-hidden rounded-full bg-sunken"
      >
        <span
          style={{ width: `${share * 100}%` }}
          className={cx('block h-full', state === 'running' ? 'bg-run' : 'bg-warn')}
        />
      </span>
    </span>
  )
}
