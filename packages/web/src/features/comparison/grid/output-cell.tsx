import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { CircleX, LoaderCircle } from 'lucide-react'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { cx } from '#lib/browser.ts'
import { formatLatency } from '#lib/format.ts'
import { CostText } from '#ui/cost-text.tsx'
import { Skeleton } from '#ui/states.tsx'
import { type Comparison, findShownRun, getStamp } from '../comparison.ts'
import { getRunsOfExample } from '../logic/comparison.ts'
import { getOutcome } from '../logic/comparison-measures.ts'
import { computeReportedPart } from '../logic/distribution.ts'
import { countDistinct, type RowTexts, type RunTexts } from '../logic/row-texts.ts'
import { comparisonQuery } from '../queries.ts'
import { listCellScores, listRepetitions } from './cell-scores.ts'
import { DiffCell } from './diff-cell.tsx'
import { RepetitionDots } from './repetition-dots.tsx'
import { ScoreChip } from './score-chip.tsx'
import { ScorePopover } from './score-popover.tsx'

export interface OutputCellProps {
  comparison: Comparison
  experiment: number
  example: number
  /** Height of the cell in px. */
  height: number
  isActive: boolean
}

type TextsQuery = Pick<UseQueryResult<RowTexts | null>, 'data' | 'isPending' | 'error'>

const TextsContext = createContext<TextsQuery>({ data: undefined, isPending: true, error: null })

interface RowTextsProviderProps {
  comparison: Comparison
  example: number
  children: ReactNode
}

/** Reads the beginnings of the texts of an example once for all its cells; rows that appear together are read together. */
export function RowTextsProvider({ comparison, example, children }: RowTextsProviderProps) {
  const id = comparison.cells.exampleIds[example] ?? ''
  const { data, isPending, error } = useQuery(comparisonQuery.texts(comparison.view, id, getStamp(comparison, example)))
  const texts = useMemo(() => ({ data, isPending, error }), [data, isPending, error])
  return <TextsContext value={texts}>{children}</TextsContext>
}

/** The texts of the example of the provider around the cell. */
export function useRowTexts(): TextsQuery {
  return use(TextsContext)
}

/** What an experiment answered for an example: output, scores with deltas, repetitions, latency and cost. */
export function OutputCell({ comparison, experiment, example, height, isActive }: OutputCellProps) {
  const { cells, measured, search } = comparison
  const compared = cells.experiments[experiment]
  const run = findShownRun(comparison, experiment, example)
  const texts = useRowTexts()
  if (compared === undefined) return null
  const outcome = getOutcome(measured, experiment, example)
  const against = search.diff === 'baseline' && experiment === comparison.baseline ? 'off' : search.diff
  return (
    <div
      data-experiment={experiment}
      data-active-cell={isActive || undefined}
      style={{ height }}
      className={cx(
        'flex min-w-0 flex-col gap-1 whitespace-normal rounded-control border-l-2 py-0.5 pl-1.5 pr-1 data-active-cell:ring-1 data-active-cell:ring-inset data-active-cell:ring-accent',
        outcome === 'worse' ? 'border-err bg-del-bg/40' : outcome === 'better' ? 'border-ok' : 'border-transparent',
      )}
    >
      <div className="min-h-0 flex-1 overflow-hidden">
        {against !== 'off' && run !== undefined ? (
          <DiffCell comparison={comparison} experiment={experiment} example={example} against={against} />
        ) : (
          <OutputText
            text={run === undefined ? undefined : texts.data?.runs.get(compared.runs.id[run] ?? '')}
            isLoading={texts.isPending}
            status={run === undefined ? undefined : compared.runs.status[run]}
            error={run === undefined ? undefined : cells.errors[compared.runs.error[run] ?? -1]}
          />
        )}
      </div>
      <CellFooter comparison={comparison} experiment={experiment} example={example} />
    </div>
  )
}

/** Chips that fit into a cell; the others are counted, and the focus layout shows them. */
const MAX_CHIPS = 2

type CellProps = Pick<OutputCellProps, 'comparison' | 'experiment' | 'example'>

/** Scores, then repetitions, latency and cost. */
export function CellFooter({ comparison, experiment, example, maxChips = MAX_CHIPS }: CellScoresProps) {
  const texts = useRowTexts()
  const compared = comparison.cells.experiments[experiment]
  if (compared === undefined) return null
  const ids = Array.from(getRunsOfExample(compared, example), (run) => compared.runs.id[run] ?? '')
  return (
    <div className="flex shrink-0 flex-col gap-0.5">
      <CellScores comparison={comparison} experiment={experiment} example={example} maxChips={maxChips} />
      <div className="flex h-4 min-w-0 items-center gap-1 overflow-hidden">
        <RepetitionDots
          dots={listRepetitions(comparison, experiment, example)}
          distinct={texts.data ? countDistinct(ids.map((id) => texts.data?.runs.get(id))) : undefined}
          shown={comparison.repetition}
        />
        <Figures comparison={comparison} experiment={experiment} example={example} />
      </div>
    </div>
  )
}

interface CellScoresProps extends CellProps {
  /** The line wraps when it is more than fits into a cell. @default 2 */
  maxChips?: number
}

/** The scores of a cell; each opens its records. */
export function CellScores({ comparison, experiment, example, maxChips = MAX_CHIPS }: CellScoresProps) {
  const compared = comparison.cells.experiments[experiment]
  if (compared === undefined) return null
  const { repetition } = comparison
  const runs = [...getRunsOfExample(compared, example)].filter(
    (run) => repetition === undefined || compared.runs.repetition[run] === repetition,
  )
  const scores = listCellScores(comparison, experiment, example)
  const more = scores.slice(maxChips)
  const isInGrid = maxChips === MAX_CHIPS
  const touch = cx('shrink', isInGrid ? 'tall-target' : 'coarse:h-10')
  return (
    <div className={cx('flex items-center gap-1', isInGrid ? 'h-6 overflow-x-clip' : 'flex-wrap')}>
      {scores
        .slice(0, maxChips)
        .map(({ key, ...score }) =>
          comparison.view.share === undefined ? (
            <ScorePopover
              key={key}
              datasetId={comparison.view.datasetId}
              runIds={runs.map((run) => compared.runs.id[run] ?? '')}
              feedbackKey={key}
              trigger={<ScoreChip name={key} {...score} tabIndex={isInGrid ? -1 : 0} className={touch} />}
            />
          ) : (
            <ScoreChip key={key} name={key} {...score} disabled className={touch} />
          ),
        )}
      {more.length > 0 && (
        <span className="shrink-0 text-meta text-fg-muted" title={more.map(({ key }) => key).join(', ')}>
          +{more.length}
        </span>
      )}
    </div>
  )
}

function Figures({ comparison, experiment, example }: CellProps) {
  const latency = comparison.measures({ kind: 'latency' }).means[experiment]?.[example] ?? Number.NaN
  const cost = comparison.measures({ kind: 'cost' }).means[experiment]?.[example] ?? Number.NaN
  if (Number.isNaN(latency)) return null
  const compared = comparison.cells.experiments[experiment]
  return (
    <span className="ml-auto shrink-0 truncate text-meta tabular-nums text-fg-subtle">
      {formatLatency(latency)}
      {!Number.isNaN(cost) && (
        <>
          {' · '}
          <CostText total={cost} reported={compared && computeReportedPart(compared, example)} />
        </>
      )}
    </span>
  )
}

interface OutputTextProps {
  text: RunTexts | undefined
  isLoading: boolean
  status: string | undefined
  error: string | undefined
}

/** Output, error, or why there is neither. Three lines; the focus layout shows all. */
function OutputText({ text, isLoading, status, error }: OutputTextProps) {
  if (status === undefined) return <p className="text-row text-fg-subtle">No run</p>
  if (status === 'error')
    return (
      <p className="line-clamp-3 text-row text-err [overflow-wrap:anywhere]">
        <CircleX size={12} aria-hidden className="mr-1 inline align-[-2px]" />
        {text?.error || error}
      </p>
    )
  if (text === undefined && isLoading)
    return (
      <div className="flex flex-col gap-1.5 pt-1">
        <Skeleton className="w-4/5" />
        <Skeleton className="w-3/5" />
      </div>
    )
  if (text?.output)
    return (
      <p dir="auto" className="line-clamp-3 text-row [overflow-wrap:anywhere]">
        {text.output}
      </p>
    )
  if (status === 'pending')
    return (
      <p className="flex items-center gap-1 text-row text-run">
        <LoaderCircle size={12} aria-hidden className="motion-safe:animate-spin" />
        Running
      </p>
    )
  return <p className="text-row text-fg-subtle">{text === undefined ? 'Not loaded' : 'No output'}</p>
}
