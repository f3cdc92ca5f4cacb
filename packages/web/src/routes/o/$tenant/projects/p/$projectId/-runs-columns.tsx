import type { Run } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { formatAbsoluteTime, formatCost, formatLatency, formatTokenPair, formatTokens, zoneLabel } from '#lib/format.ts'
import type { Density } from '#lib/preferences.ts'
import { DEFAULT_COLUMNS, getCustomColumnLabel, getSortDirection, nextSort, readColumn } from '#lib/runs/columns.ts'
import { msBetween } from '#lib/time/time-range.ts'
import type { Column } from '#ui/grid-columns.tsx'
import { FeedbackCell, LatencyCell, NameCell, ScoreCell, StartCell, TextCell, ValueCell } from './-run-cells.tsx'
import type { ReadRunValue } from './-use-run-values.tsx'

/** What cells need besides their run. */
export interface CellContext {
  density: Density
  /** Latency in ms that fills the in-cell bar. */
  fullBarMs: number
  /** Reads the value of a column that is a path into a payload. */
  readValue: ReadRunValue
}

/** The order of the list, as in its URL, and a setter. */
export interface Order {
  sort: string
  onSort: (sort: string) => void
}

interface RunColumn {
  label: string
  width: string
  align?: 'end'
  /** Needs `extra`, which lists do not load otherwise. */
  needsExtra?: boolean
  /** Value of the `sort` parameter, when the list can be sorted by this column. */
  sortKey?: string
  cell: (run: Run, context: CellContext) => ReactNode
}

export const RUN_COLUMNS: Record<string, RunColumn> = {
  name: { label: 'Name', width: 'minmax(180px, 1.1fr)', cell: (run) => <NameCell run={run} /> },
  input: {
    label: 'Input',
    width: 'minmax(140px, 2fr)',
    cell: (run, { density }) => <TextCell text={run.inputs_preview} density={density} />,
  },
  output: {
    label: 'Output / error',
    width: 'minmax(140px, 2fr)',
    cell: (run, { density }) =>
      run.error_preview ? (
        <span className="text-err">
          <TextCell text={run.error_preview} density={density} />
        </span>
      ) : (
        <TextCell text={run.outputs_preview} density={density} />
      ),
  },
  start: {
    label: `Start (${zoneLabel('local')})`,
    width: '150px',
    sortKey: 'start_time',
    cell: (run) => <StartCell time={run.start_time} />,
  },
  latency: {
    label: 'Latency',
    width: '104px',
    align: 'end',
    sortKey: 'latency',
    cell: (run, { fullBarMs }) => <LatencyCell run={run} fullBarMs={fullBarMs} />,
  },
  ttft: {
    label: 'First token',
    width: '88px',
    align: 'end',
    sortKey: 'ttft',
    cell: (run) => formatLatency(msBetween(run.start_time, run.first_token_time)),
  },
  tokens: {
    label: 'Tokens',
    width: '112px',
    align: 'end',
    sortKey: 'tokens',
    cell: (run) => (
      <span title={`${formatTokens(run.total_tokens)} in total`}>
        {formatTokenPair(run.prompt_tokens, run.completion_tokens)}
      </span>
    ),
  },
  cost: {
    label: 'Cost',
    width: '80px',
    align: 'end',
    sortKey: 'cost',
    cell: (run) => (
      <span title={run.total_cost ? `$${run.total_cost}` : explainMissingCost(run)}>{formatCost(run.total_cost)}</span>
    ),
  },
  feedback: { label: 'Feedback', width: 'minmax(150px, 0.8fr)', cell: (run) => <FeedbackCell run={run} /> },
  type: { label: 'Type', width: '84px', cell: (run) => run.run_type },
  model: {
    label: 'Model',
    width: 'minmax(110px, 0.7fr)',
    needsExtra: true,
    cell: (run) => readMetadataText(run, 'ls_model_name') ?? '-',
  },
  tags: { label: 'Tags', width: 'minmax(100px, 0.7fr)', cell: (run) => run.tags?.join(', ') || '-' },
  thread: { label: 'Thread', width: 'minmax(100px, 0.7fr)', cell: (run) => run.thread_id ?? '-' },
  end: { label: 'End', width: '150px', cell: (run) => (run.end_time ? formatAbsoluteTime(run.end_time) : '-') },
  id: { label: 'ID', width: '290px', cell: (run) => <span className="font-mono text-meta">{run.id}</span> },
}

/** A built-in column, or one that a user made from a path or a feedback key. */
export function findColumn(id: string): RunColumn | undefined {
  if (Object.hasOwn(RUN_COLUMNS, id)) return RUN_COLUMNS[id]
  const custom = readColumn(id)
  if (custom === undefined) return undefined
  const label = getCustomColumnLabel(custom)
  if (custom.kind === 'json') {
    const cell: RunColumn['cell'] = (run, { readValue }) => <ValueCell value={readValue(run.id, id)} />
    return { label, width: 'minmax(120px, 1fr)', cell }
  }
  return { label, width: '96px', align: 'end', cell: (run) => <ScoreCell stat={run.feedback_stats?.[custom.key]} /> }
}

/** The label of a column; the id of an unknown one. */
export function getColumnLabel(id: string): string {
  return findColumn(id)?.label ?? id
}

/**
 * Known column ids from the URL, in its order; `Name` is always first.
 *
 * @param runs  rows of the list: without columns in the URL, the feedback column appears once a row has feedback
 */
export function toColumnIds(cols: string | undefined, runs: readonly Run[] = []): string[] {
  const requested = cols?.split(',').filter((id) => findColumn(id) !== undefined) ?? []
  if (requested.length > 0) return ['name', ...new Set(requested.filter((id) => id !== 'name'))]
  const hasFeedback = runs.some((run) => Object.keys(run.feedback_stats ?? {}).length > 0)
  return hasFeedback ? [...DEFAULT_COLUMNS, 'feedback'] : [...DEFAULT_COLUMNS]
}

export function toGridColumns(ids: readonly string[], context: CellContext, order: Order): Column<Run>[] {
  return ids.flatMap((id) => {
    const column = findColumn(id)
    if (column === undefined) return []
    const { label, width, align, sortKey, cell } = column
    return {
      id,
      header: label,
      width,
      ...(align && { align }),
      ...(sortKey && { sort: toHeaderSort(sortKey, order) }),
      cell: (run: Run) => cell(run, context),
    }
  })
}

/** The API sorts by start time only; other columns sort the loaded rows. */
function toHeaderSort(sortKey: string, { sort, onSort }: Order): NonNullable<Column<Run>['sort']> {
  const direction = getSortDirection(sort, sortKey)
  if (sortKey === 'start_time') {
    const next = direction === 'descending' ? 'start_time' : '-start_time'
    return { direction, onSort: () => onSort(next) }
  }
  return { direction, onSort: () => onSort(nextSort(sort, sortKey, '-start_time')), hint: 'Sorts the loaded rows' }
}

function explainMissingCost(run: Run): string {
  return run.total_tokens ? 'No price is set for the model' : 'No tokens were recorded'
}

function readMetadataText(run: Run, key: string): string | undefined {
  const metadata = run.extra?.metadata
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const value = (metadata as Record<string, unknown>)[key]
  return typeof value === 'string' ? value : undefined
}
