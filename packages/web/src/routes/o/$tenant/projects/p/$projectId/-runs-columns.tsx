import type { Run } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { RunTypeIcon } from '#domain/run-type-icon.tsx'
import { NO_END_MS, StatusMark } from '#domain/status-mark.tsx'
import { cx } from '#lib/browser/cx.ts'
import {
  formatAbsoluteTime,
  formatCost,
  formatLatency,
  formatRelativeTime,
  formatScore,
  formatTokenPair,
  formatTokens,
  zoneLabel,
} from '#lib/format/format.ts'
import type { Density } from '#lib/preferences/preferences.ts'
import { DEFAULT_COLUMNS, labelOfColumn, readColumn } from '#lib/runs/column-ids.ts'
import { drawnRunType } from '#lib/runs/run-types.ts'
import { directionOf, nextSort } from '#lib/runs/sort.ts'
import type { Column } from '#ui/grid-columns.tsx'
import { useNow } from '#ui/use-now.tsx'
import type { ValueAt } from './-use-run-values.tsx'
import { ScoreCell, ValueCell } from './-value-cells.tsx'

/** What cells need besides their run. */
export interface CellContext {
  density: Density
  /** Latency in ms that fills the in-cell bar. */
  longMs: number
  /** Values of the columns that are paths into payloads. */
  valueAt: ValueAt
}

/** The order of the list, as its address has it, and how to ask for another. */
export interface Order {
  sort: string
  onSort: (sort: string) => void
}

interface RunColumn {
  label: string
  width: string
  align?: 'end'
  /** Needs `extra`, which lists do not read otherwise. */
  needsExtra?: boolean
  /** What the address calls it, when the list can be sorted by it. */
  sortsBy?: string
  cell: (run: Run, context: CellContext) => ReactNode
}

export const RUN_COLUMNS: Record<string, RunColumn> = {
  name: { label: 'Name', width: 'minmax(180px, 1.1fr)', cell: (run) => <NameCell run={run} /> },
  input: { label: 'Input', width: 'minmax(140px, 2fr)', cell: (run, { density }) => text(run.inputs_preview, density) },
  output: {
    label: 'Output / error',
    width: 'minmax(140px, 2fr)',
    cell: (run, { density }) =>
      run.error_preview ? (
        <span className="text-err">{text(run.error_preview, density)}</span>
      ) : (
        text(run.outputs_preview, density)
      ),
  },
  start: {
    label: `Start (${zoneLabel('local')})`,
    width: '150px',
    sortsBy: 'start_time',
    cell: (run) => <StartCell time={run.start_time} />,
  },
  latency: {
    label: 'Latency',
    width: '104px',
    align: 'end',
    sortsBy: 'latency',
    cell: (run, { longMs }) => <LatencyCell run={run} longMs={longMs} />,
  },
  ttft: {
    label: 'First token',
    width: '88px',
    align: 'end',
    sortsBy: 'ttft',
    cell: (run) => formatLatency(spanMs(run.start_time, run.first_token_time)),
  },
  tokens: {
    label: 'Tokens',
    width: '112px',
    align: 'end',
    sortsBy: 'tokens',
    cell: (run) => (
      <span title={`${formatTokens(run.total_tokens)} in all`}>
        {formatTokenPair(run.prompt_tokens, run.completion_tokens)}
      </span>
    ),
  },
  cost: {
    label: 'Cost',
    width: '80px',
    align: 'end',
    sortsBy: 'cost',
    cell: (run) => (
      <span title={run.total_cost ? `$${run.total_cost}` : unknownCost(run)}>{formatCost(run.total_cost)}</span>
    ),
  },
  feedback: { label: 'Feedback', width: 'minmax(150px, 0.8fr)', cell: (run) => <FeedbackCell run={run} /> },
  type: { label: 'Type', width: '84px', cell: (run) => run.run_type },
  model: {
    label: 'Model',
    width: 'minmax(110px, 0.7fr)',
    needsExtra: true,
    cell: (run) => metadataOf(run, 'ls_model_name') ?? '-',
  },
  tags: { label: 'Tags', width: 'minmax(100px, 0.7fr)', cell: (run) => run.tags?.join(', ') || '-' },
  thread: { label: 'Thread', width: 'minmax(100px, 0.7fr)', cell: (run) => run.thread_id ?? '-' },
  end: { label: 'End', width: '150px', cell: (run) => (run.end_time ? formatAbsoluteTime(run.end_time) : '-') },
  id: { label: 'Id', width: '290px', cell: (run) => <span className="font-mono text-meta">{run.id}</span> },
}

/** What a column shows, of those that are always there and of those that people make. */
export function columnOf(id: string): RunColumn | undefined {
  if (Object.hasOwn(RUN_COLUMNS, id)) return RUN_COLUMNS[id]
  const made = readColumn(id)
  if (made === undefined) return undefined
  const label = labelOfColumn(made)
  if (made.kind === 'json') {
    return { label, width: 'minmax(120px, 1fr)', cell: (run, { valueAt }) => <ValueCell value={valueAt(run.id, id)} /> }
  }
  return { label, width: '96px', align: 'end', cell: (run) => <ScoreCell stat={run.feedback_stats?.[made.key]} /> }
}

/**
 * Column ids from the URL that exist, in its order; `Name` always leads.
 *
 * @param runs  rows of the list: without a choice in the URL, feedback gets its column once there is some
 */
export function columnsOf(cols: string | undefined, runs: readonly Run[] = []): string[] {
  const wanted = cols?.split(',').filter((id) => columnOf(id) !== undefined) ?? []
  if (wanted.length > 0) return ['name', ...new Set(wanted.filter((id) => id !== 'name'))]
  const hasFeedback = runs.some((run) => Object.keys(run.feedback_stats ?? {}).length > 0)
  return hasFeedback ? [...DEFAULT_COLUMNS, 'feedback'] : [...DEFAULT_COLUMNS]
}

export function gridColumns(ids: readonly string[], context: CellContext, order: Order): Column<Run>[] {
  return ids.map((id) => {
    const { label, width, align, sortsBy, cell } = columnOf(id)!
    return {
      id,
      header: label,
      width,
      ...(align && { align }),
      ...(sortsBy && { sort: headerSort(sortsBy, order) }),
      cell: (run) => cell(run, context),
    }
  })
}

/** The API sorts by start alone; by the others the rows are sorted that are here. */
function headerSort(sortsBy: string, { sort, onSort }: Order) {
  if (sortsBy === 'start_time') {
    const isOldestFirst = sort === 'start_time'
    return {
      direction: directionOf(sort, sortsBy),
      onSort: () => onSort(isOldestFirst || directionOf(sort, sortsBy) === undefined ? '-start_time' : 'start_time'),
    }
  }
  return {
    direction: directionOf(sort, sortsBy),
    onSort: () => onSort(nextSort(sort, sortsBy, '-start_time')),
    hint: 'Sorts the loaded rows',
  }
}

/** A run in two lines, for phones. @param isSelected  absent while rows are not being selected */
export function RunCard({ run, isSelected }: { run: Run; isSelected?: boolean | undefined }) {
  return (
    <div className="flex items-center gap-3">
      {isSelected !== undefined && (
        // A press anywhere on the row does it.
        <input
          type="checkbox"
          readOnly
          tabIndex={-1}
          checked={isSelected}
          aria-label={`Select ${run.name}`}
          className="pointer-events-none size-5 shrink-0"
        />
      )}
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex items-center gap-2">
          <div className="min-w-0 flex-1 text-base">
            <NameCell run={run} />
          </div>
          <span className="shrink-0 text-fg-muted">{formatRelativeTime(run.start_time)}</span>
        </div>
        <div className="flex items-center gap-3 text-fg-muted">
          <span className={cx('min-w-0 flex-1 truncate', run.error_preview && 'text-err')}>
            {run.error_preview ?? run.outputs_preview ?? run.inputs_preview ?? ''}
          </span>
          <span className="num shrink-0">
            <LatencyText run={run} />
          </span>
        </div>
      </div>
    </div>
  )
}

/** Milliseconds between two times, exact to the microsecond; `undefined` while there is no end. */
export function spanMs(start: string, end: string | null | undefined): number | undefined {
  if (!end) return undefined
  const micros = (time: string) => Number(time.slice(20, 26).padEnd(6, '0').replace(/\D/g, '0'))
  const seconds = Date.parse(`${end.slice(0, 19)}Z`) - Date.parse(`${start.slice(0, 19)}Z`)
  return seconds + (micros(end) - micros(start)) / 1000
}

function NameCell({ run }: { run: Run }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <RunTypeIcon type={drawnRunType(run)} />
      <span className="truncate font-medium">{run.name}</span>
      <StatusMark {...run} />
    </span>
  )
}

function StartCell({ time }: { time: string }) {
  const now = useNow(10_000)
  return <span title={`${formatAbsoluteTime(time)} · ${time}`}>{formatRelativeTime(time, now)}</span>
}

function LatencyCell({ run, longMs }: { run: Run; longMs: number }) {
  const ms = spanMs(run.start_time, run.end_time) ?? 0
  const share = longMs > 0 ? Math.min(ms / longMs, 1) : 0
  return (
    <span className="relative flex items-center justify-end">
      {share > 0 && (
        <span
          aria-hidden
          className="absolute inset-y-0 -right-1 rounded-control bg-border opacity-70"
          style={{ width: `calc(${share * 100}% + 4px)` }}
        />
      )}
      <span className="relative">
        <LatencyText run={run} />
      </span>
    </span>
  )
}

function LatencyText({ run }: { run: Run }) {
  const ms = spanMs(run.start_time, run.end_time)
  if (ms !== undefined) return <span title={`${ms} ms`}>{formatLatency(ms)}</span>
  return run.status === 'pending' ? <RunningFor since={run.start_time} /> : <span>-</span>
}

function RunningFor({ since }: { since: string }) {
  const ms = Math.max(useNow(1000) - Date.parse(since), 0)
  return ms > NO_END_MS ? (
    <span className="text-warn">no end</span>
  ) : (
    <span className="text-run">{formatLatency(ms)}…</span>
  )
}

function FeedbackCell({ run }: { run: Run }) {
  const stats = Object.entries(run.feedback_stats ?? {})
  if (stats.length === 0) return '-'
  const printed = stats.map(([key, { avg, n }]) => ({ key, mark: avg === null ? `×${n}` : formatScore(avg) }))
  const rest = printed.length - MOST_SCORES
  return (
    <span title={printed.map(({ key, mark }) => `${key} ${mark}`).join('\n')} className="flex min-w-0 gap-2">
      {printed.slice(0, MOST_SCORES).map(({ key, mark }) => (
        // A narrow column cuts the key, never the score.
        <span key={key} className="flex min-w-0 gap-1">
          <span className="truncate text-fg-muted">{key}</span>
          <span className="shrink-0 tabular-nums">{mark}</span>
        </span>
      ))}
      {rest > 0 && <span className="shrink-0 text-fg-muted">+{rest}</span>}
    </span>
  )
}

/** Scores of a run that its row names; the rest is counted. */
const MOST_SCORES = 2

function text(value: string | null | undefined, density: Density) {
  if (!value) return <span className="text-fg-subtle">-</span>
  if (density !== 'preview') return value.replaceAll('\n', ' ⏎ ')
  return <span className="line-clamp-5 whitespace-pre-wrap break-words">{value}</span>
}

function unknownCost(run: Run): string {
  return run.total_tokens ? 'No price is known for the model' : 'No tokens were recorded'
}

function metadataOf(run: Run, key: string): string | undefined {
  const metadata = run.extra?.metadata
  const value =
    typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>)[key] : undefined
  return typeof value === 'string' ? value : undefined
}
