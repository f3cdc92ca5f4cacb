import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Columns2, FlaskConical } from 'lucide-react'
import { useCallback, useMemo, useRef, useState } from 'react'
import { MAX_EXPERIMENTS } from '#features/comparison/logic/compare-state.ts'
import { publicDatasetQuery } from '#features/datasets/sharing/public-datasets.ts'
import { listFeedbackKeys } from '#features/experiments/experiment-columns.ts'
import { type ExperimentRow, toExperimentRow } from '#features/experiments/experiment-row.ts'
import {
  formatCost,
  formatCount,
  formatLatency,
  formatMinute,
  formatRate,
  formatScore,
  pluralize,
  UNKNOWN,
} from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'

const getRowId = (row: ExperimentRow) => row.id

/** The shared experiments with their scores. Up to six of them are compared. */
export function PublicExperiments({ token }: { token: string }) {
  const navigate = useNavigate()
  const query = useQuery(publicDatasetQuery.experiments(token))
  const rows = useMemo(
    () => (query.data ?? []).map((one) => toExperimentRow(one, { now: Date.now(), exampleCount: undefined })),
    [query.data],
  )
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [activeId, setActiveId] = useState<string>()
  const grid = useRef<GridHandle>(null)
  const compare = (ids: readonly string[]) =>
    void navigate({ to: '/public/$token/d/compare', params: { token }, search: { selectedSessions: ids.join(',') } })
  useGridKeys({
    grid,
    ids: rows.map(getRowId),
    activeId,
    onActive: setActiveId,
    onOpen: (id) => compare([id]),
  })
  const toggle = useCallback(
    (id: string) =>
      setSelected((before) => {
        const next = new Set(before)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  const columns = useMemo(
    () => toColumns(token, listFeedbackKeys(rows), selected, toggle),
    [token, rows, selected, toggle],
  )
  if (query.isPending) return <SkeletonRows rows={8} label="Loading experiments" />
  if (query.isError && !query.data) {
    return (
      <ErrorState title="Could not load the experiments" error={query.error} onRetry={() => void query.refetch()} />
    )
  }
  if (rows.length === 0) {
    return (
      <EmptyState icon={FlaskConical} title="No public experiments">
        This dataset is shared without experiments, or it has none yet.
      </EmptyState>
    )
  }
  return (
    <>
      <div className="flex min-h-10 shrink-0 items-center gap-2 border-b border-border px-3 text-row text-fg-muted">
        <Button
          disabled={selected.size === 0 || selected.size > MAX_EXPERIMENTS}
          onClick={() => compare(rows.filter(({ id }) => selected.has(id)).map(getRowId))}
        >
          <Columns2 size={13} aria-hidden />
          Compare {selected.size > 0 && formatCount(selected.size)}
        </Button>
        <span>
          {selected.size > MAX_EXPERIMENTS
            ? `Select ${MAX_EXPERIMENTS} experiments at most.`
            : 'Select experiments, or open one to see its answers.'}
        </span>
      </div>
      <DataGrid
        ref={grid}
        label="Experiments"
        columns={columns}
        rows={rows}
        rowId={getRowId}
        rowHeight={32}
        card={(row) => <ExperimentCard token={token} row={row} isSelected={selected.has(row.id)} onToggle={toggle} />}
        total={rows.length}
        activeId={activeId}
        selectedIds={selected}
        onRowClick={({ id }) => compare([id])}
      />
    </>
  )
}

function toColumns(
  token: string,
  keys: readonly string[],
  selected: ReadonlySet<string>,
  onToggle: (id: string) => void,
): Column<ExperimentRow>[] {
  const figure = (id: string, header: string, show: (row: ExperimentRow) => string): Column<ExperimentRow> => ({
    id,
    header,
    width: '88px',
    align: 'end',
    cell: show,
  })
  return [
    {
      id: 'select',
      header: <span className="sr-only">Select</span>,
      width: '36px',
      isPinned: true,
      cell: (row) => <Mark row={row} isSelected={selected.has(row.id)} onToggle={onToggle} />,
    },
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(180px, 2fr)',
      cell: (row) => <ExperimentLink token={token} row={row} />,
    },
    ...keys.map(
      (key): Column<ExperimentRow> => ({
        id: `score ${key}`,
        header: key,
        width: 'minmax(110px, 1fr)',
        align: 'end',
        cell: (row) => <Score row={row} feedbackKey={key} />,
      }),
    ),
    figure('runs', 'Runs', ({ figures }) => formatCount(figures.runCount)),
    figure('errors', 'Errors', ({ figures }) => formatRate(figures.errorRate)),
    figure('latency', 'p50', ({ figures }) => formatLatency(figures.latencyP50Ms)),
    figure('cost', 'Cost', ({ figures }) => formatCost(figures.cost === undefined ? undefined : String(figures.cost))),
    { id: 'created', header: 'Created', width: '120px', cell: ({ createdAt }) => formatMinute(createdAt) },
  ]
}

function ExperimentLink({ token, row }: { token: string; row: ExperimentRow }) {
  return (
    <Link
      to="/public/$token/d/compare"
      params={{ token }}
      search={{ selectedSessions: row.id }}
      title={row.name}
      tabIndex={-1}
      className="truncate font-medium hover:underline"
    >
      {row.name}
    </Link>
  )
}

/** The mean of a key with its 95 % interval. */
function Score({ row, feedbackKey }: { row: ExperimentRow; feedbackKey: string }) {
  const score = row.figures.feedback.get(feedbackKey)
  if (score === undefined) return <span className="text-fg-subtle">{UNKNOWN}</span>
  return (
    <span title={`${score.mean}, mean of ${pluralize(score.count, 'score')}`}>
      {formatScore(score.mean)}
      {score.margin !== undefined && <span className="text-fg-subtle"> ± {formatScore(score.margin)}</span>}
    </span>
  )
}

interface MarkProps {
  row: ExperimentRow
  isSelected: boolean
  onToggle: (id: string) => void
}

function Mark({ row: { id, name }, isSelected, onToggle }: MarkProps) {
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={`Select ${name}`}
      checked={isSelected}
      onChange={() => onToggle(id)}
      className="block shrink-0"
    />
  )
}

/** An experiment in two lines, for phones. */
function ExperimentCard({ token, ...mark }: MarkProps & { token: string }) {
  const { row } = mark
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="flex min-w-0 items-center gap-2">
        <Mark {...mark} />
        <ExperimentLink token={token} row={row} />
      </span>
      <span className="flex min-w-0 gap-3 overflow-hidden text-fg-muted">
        {[...row.figures.feedback].slice(0, 2).map(([key, { mean }]) => (
          <span key={key} className="truncate">
            {key} {formatScore(mean)}
          </span>
        ))}
        <span className="ml-auto shrink-0">{pluralize(row.figures.runCount, 'run')}</span>
      </span>
    </div>
  )
}
