import { findModelName } from '@touchstone/formats/models'
import type { Run } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { formatCost, formatLatency, formatTokenPair, formatTokens } from '#lib/format.ts'
import type { Density } from '#lib/preferences.ts'
import { DEFAULT_COLUMNS, getCustomColumnLabel, getSortDirection, nextSort, readColumn } from '#lib/run-columns.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { CostText } from '#ui/cost-text.tsx'
import { type Column, getMinWidth } from '#ui/grid-columns.tsx'
import { getFigureWidth } from './columns/fit-columns.ts'
import {
  FeedbackCell,
  LatencyCell,
  NameCell,
  PayloadCell,
  ScoreCell,
  TextCell,
  TimeCell,
  ValueCell,
} from './run-cells.tsx'
import type { ReadRunValue } from './use-run-values.tsx'

/** What cells need besides their run. */
export interface CellContext {
  density: Density
  /** The current minute in epoch ms. */
  nowMs: number
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
  /** Each cell has the direction of its text. */
  isText?: boolean
  /** Needs `extra`, which lists do not load otherwise. */
  needsExtra?: boolean
  /** Text of a cell, for columns as wide as their longest text; `width` is their minimum. */
  text?: (run: Run) => string
  /** Value of the `sort` parameter, when the list can be sorted by this column. */
  sortKey?: string
  cell: (run: Run, context: CellContext) => ReactNode
}

export const RUN_COLUMNS: Record<string, RunColumn> = {
  name: { label: 'Name', width: 'minmax(124px, 1.1fr)', cell: (run) => <NameCell run={run} /> },
  input: {
    label: 'Input',
    width: 'minmax(100px, 2fr)',
    isText: true,
    cell: (run, { density }) => <PayloadCell run={run} side="inputs" density={density} />,
  },
  output: {
    label: 'Output / error',
    width: 'minmax(100px, 2fr)',
    isText: true,
    cell: (run, { density }) =>
      run.error_preview ? (
        <span className="text-err">
          <TextCell text={run.error_preview} density={density} />
        </span>
      ) : (
        <PayloadCell run={run} side="outputs" density={density} />
      ),
  },
  start: {
    label: 'Start',
    width: '96px',
    sortKey: 'start_time',
    cell: (run, { nowMs }) => <TimeCell time={run.start_time} nowMs={nowMs} />,
  },
  latency: {
    label: 'Latency',
    width: '76px',
    align: 'end',
    sortKey: 'latency',
    cell: (run, { fullBarMs }) => <LatencyCell run={run} fullBarMs={fullBarMs} />,
  },
  ttft: {
    label: 'First token',
    width: '84px',
    align: 'end',
    sortKey: 'ttft',
    cell: (run) => formatLatency(msBetween(run.start_time, run.first_token_time)),
  },
  tokens: {
    label: 'Tokens',
    width: '88px',
    align: 'end',
    sortKey: 'tokens',
    text: (run) => formatTokenPair(run.prompt_tokens, run.completion_tokens),
    cell: (run) => (
      <span title={`${formatTokens(run.total_tokens)} in total`}>
        {formatTokenPair(run.prompt_tokens, run.completion_tokens)}
      </span>
    ),
  },
  cost: {
    label: 'Cost',
    width: '76px',
    align: 'end',
    sortKey: 'cost',
    text: (run) => formatCost(run.total_cost),
    cell: (run) => (
      <CostText
        total={run.total_cost}
        reported={run.reported_cost}
        fees={run.unpriced_fees}
        unknown={explainMissingCost(run)}
      />
    ),
  },
  feedback: { label: 'Feedback', width: 'minmax(96px, 0.8fr)', cell: (run) => <FeedbackCell run={run} /> },
  type: { label: 'Type', width: '84px', cell: (run) => run.run_type },
  model: {
    label: 'Model',
    width: 'minmax(110px, 0.7fr)',
    needsExtra: true,
    cell: (run) => findModelName({ extra: run.extra }) ?? '-',
  },
  tags: { label: 'Tags', width: 'minmax(100px, 0.7fr)', cell: (run) => run.tags?.join(', ') || '-' },
  thread: { label: 'Thread', width: 'minmax(100px, 0.7fr)', cell: (run) => run.thread_id ?? '-' },
  end: {
    label: 'End',
    width: '96px',
    cell: (run, { nowMs }) => (run.end_time ? <TimeCell time={run.end_time} nowMs={nowMs} /> : '-'),
  },
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

/** The track of a column in the grid. Figures are shown in full, however many digits they have. */
export function getColumnWidth(id: string, runs: readonly Run[]): string {
  const { width = '0px', text } = findColumn(id) ?? {}
  return text === undefined ? width : `${getFigureWidth(runs.map(text), getMinWidth(width))}px`
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

/** @param widths  tracks of the columns by id */
export function toGridColumns(
  ids: readonly string[],
  widths: ReadonlyMap<string, string>,
  context: CellContext,
  order: Order,
): Column<Run>[] {
  return ids.flatMap((id) => {
    const column = findColumn(id)
    if (column === undefined) return []
    const { label, width, align, isText, sortKey, cell } = column
    return {
      id,
      header: label,
      width: widths.get(id) ?? width,
      ...(align && { align }),
      ...(isText && { isText }),
      ...(sortKey && { sort: toHeaderSort(sortKey, order) }),
      cell: (run: Run) => cell(run, context),
    }
  })
}

/** By start time, a second click reverses the order; by a figure, a third click returns to the newest first. */
function toHeaderSort(sortKey: string, { sort, onSort }: Order): NonNullable<Column<Run>['sort']> {
  const direction = getSortDirection(sort, sortKey)
  if (sortKey === 'start_time') {
    const next = direction === 'descending' ? 'start_time' : '-start_time'
    return { direction, onSort: () => onSort(next) }
  }
  return { direction, onSort: () => onSort(nextSort(sort, sortKey, '-start_time')), hint: 'Sorts all matching runs' }
}

function explainMissingCost(run: Run): string {
  return run.total_tokens ? 'No price is set for the model' : 'No tokens were recorded'
}
