import { ChevronDown, ChevronRight, Ellipsis, Inbox, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import {
  formatCount,
  formatLatency,
  formatMinute,
  formatRate,
  formatRelativeTime,
  formatTokens,
  pluralize,
  UNKNOWN,
} from '#lib/format.ts'
import { getSortDirection } from '#lib/run-columns.ts'
import { printSearch } from '#lib/search-schema.ts'
import { IconButton } from '#ui/button.tsx'
import { CostText } from '#ui/cost-text.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { LightLink } from '#ui/light-link.tsx'
import { Menu, MenuItem, MenuLine } from '#ui/menu.tsx'
import { findColumnChoice, getFeedbackKey, getMetadataPath } from '../experiment-columns.ts'
import type { ListRow } from '../experiment-list.ts'
import { type ExperimentRow, type Figures, printMetadata, readMetadataAt } from '../experiment-row.ts'
import { type CellContext, RunsCell, ScoreCell } from './experiment-cells.tsx'
import { nextExperimentSort } from './experiments-controller.ts'

export interface ExperimentColumnsContext extends CellContext {
  readonly mayWrite: boolean
  readonly sort: string
  readonly onSort: (sort: string) => void
  /** Selected experiments with the color token of each. */
  readonly selected: ReadonlyMap<string, string>
  readonly onSelect: (id: string) => void
  readonly onToggleGroup: (id: string) => void
  /** Null unpins the baseline. */
  readonly onBaseline: (row: ExperimentRow | null) => void
  readonly onRename: (row: ExperimentRow) => void
  readonly onQueue: (row: ExperimentRow) => void
  readonly onDelete: (row: ExperimentRow) => void
}

/** The columns of the list: the mark, the chosen ones, and the menu of the row. */
export function experimentColumns(ids: readonly string[], context: ExperimentColumnsContext): Column<ListRow>[] {
  return [
    {
      id: 'mark',
      header: <span className="sr-only">Select</span>,
      width: '40px',
      isPinned: true,
      cell: (row) => <Mark row={row} context={context} />,
    },
    ...ids.flatMap((id) => toColumn(id, context) ?? []),
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: '44px',
      cell: (row) => row.kind === 'experiment' && <RowMenu row={row.experiment} context={context} />,
    },
  ]
}

type Cell = (row: ListRow) => ReactNode

/** A cell that a group has too. */
const figure =
  (show: (figures: Figures) => ReactNode): Cell =>
  ({ figures }) =>
    show(figures)
/** A cell that only experiments have. */
const own =
  (show: (experiment: ExperimentRow) => ReactNode): Cell =>
  (row) =>
    row.kind === 'experiment' ? show(row.experiment) : null

interface CellKind {
  readonly width: string
  readonly isNumber?: boolean
  readonly cell: (context: ExperimentColumnsContext) => Cell
}

const text = (read: (row: ExperimentRow) => string | undefined): CellKind => ({
  width: 'minmax(96px, 1fr)',
  cell: () => own((row) => <span title={read(row)}>{read(row) ?? <None />}</span>),
})
const number = (width: string, show: (figures: Figures) => ReactNode): CellKind => ({
  width,
  isNumber: true,
  cell: () => figure(show),
})

const CELLS: Readonly<Record<string, CellKind>> = {
  name: { width: 'minmax(180px, 2fr)', cell: (context) => (row) => <Name row={row} context={context} /> },
  created: {
    width: '104px',
    cell: () =>
      own(({ createdAt }) => (
        <span title={createdAt}>{formatRelativeTime(createdAt).replace(/:\d\d\.\d{3}$/, '')}</span>
      )),
  },
  version: { width: '104px', cell: (context) => own((row) => <Version row={row} context={context} />) },
  model: text(({ model }) => model),
  prompt: text(({ prompt }) => prompt),
  reps: { width: '56px', isNumber: true, cell: () => own(({ repetitions }) => formatCount(repetitions)) },
  runs: {
    width: '88px',
    isNumber: true,
    cell: () => (row) =>
      row.kind === 'group' ? (
        formatCount(row.figures.runCount)
      ) : (
        <RunsCell name={row.experiment.name} progress={row.experiment.progress} />
      ),
  },
  latency: number('76px', ({ latencyP50Ms }) => formatLatency(latencyP50Ms)),
  p99: number('76px', ({ latencyP99Ms }) => formatLatency(latencyP99Ms)),
  tokens: number('76px', ({ tokens }) => formatTokens(tokens)),
  cost: number('76px', ({ cost, reportedCost, unpricedFees }) => (
    <CostText total={cost} reported={reportedCost} fees={unpricedFees} unknown="No model with a known price was used" />
  )),
  errors: number('68px', ({ errorRate }) => (
    <span className={cx(!!errorRate && 'font-medium text-err')}>{formatRate(errorRate)}</span>
  )),
}

function toColumn(id: string, context: ExperimentColumnsContext): Column<ListRow> | undefined {
  const choice = findColumnChoice(id)
  const kind = findCellKind(id)
  if (choice === undefined || kind === undefined) return undefined
  const sortId = id === 'created' ? 'start_time' : id
  return {
    id,
    header: choice.label,
    width: kind.width,
    ...(kind.isNumber && { align: 'end' as const }),
    isPinned: id === 'name',
    sort: {
      direction: getSortDirection(context.sort, sortId),
      onSort: () => context.onSort(nextExperimentSort(context.sort, sortId)),
      hint: choice.kind === 'feedback' ? `Mean of ${choice.label}` : choice.label,
    },
    cell: kind.cell(context),
  }
}

function findCellKind(id: string): CellKind | undefined {
  if (Object.hasOwn(CELLS, id)) return CELLS[id]
  const feedbackKey = getFeedbackKey(id)
  if (feedbackKey !== undefined) {
    const cell = (context: ExperimentColumnsContext) => (row: ListRow) => (
      <ScoreCell row={row} feedbackKey={feedbackKey} context={context} />
    )
    return { width: 'minmax(116px, 0.8fr)', isNumber: true, cell }
  }
  const path = getMetadataPath(id)
  return path && text((row) => printMetadata(readMetadataAt(row, path)).slice(0, 500) || undefined)
}

function None() {
  return <span className="text-fg-subtle">{UNKNOWN}</span>
}

function Mark({ row, context }: { row: ListRow; context: ExperimentColumnsContext }) {
  if (row.kind === 'experiment') {
    return (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${row.experiment.name}`}
        checked={context.selected.has(row.id)}
        onChange={() => context.onSelect(row.id)}
        className="ml-1 align-middle"
      />
    )
  }
  const Arrow = row.isOpen ? ChevronDown : ChevronRight
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-expanded={row.isOpen}
      aria-label={`Experiments with ${row.label}`}
      onClick={() => context.onToggleGroup(row.id)}
      className="inline-flex size-6 items-center justify-center rounded-control align-middle text-fg-muted hover:bg-hover"
    >
      <Arrow size={14} aria-hidden />
    </button>
  )
}

function Name({ row, context }: { row: ListRow; context: ExperimentColumnsContext }) {
  if (row.kind === 'group') {
    return (
      <span className="flex min-w-0 items-baseline gap-2">
        <span className="truncate font-semibold" title={row.label}>
          {row.label}
        </span>
        <span className="shrink-0 text-fg-subtle">{pluralize(row.count, 'experiment')}</span>
      </span>
    )
  }
  return <ExperimentName row={row.experiment} context={context} />
}

function ExperimentName({ row, context }: { row: ExperimentRow; context: ExperimentColumnsContext }) {
  const { tenant, datasetId, baseline } = context
  const color = context.selected.get(row.id)
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {color !== undefined && (
        <span aria-hidden className="size-2.5 shrink-0 rounded-full" style={{ backgroundColor: `var(--${color})` }} />
      )}
      <LightLink
        href={`/o/${tenant}/datasets/${datasetId}/compare${printSearch({ selectedSessions: row.id })}`}
        tabIndex={-1}
        title={row.description ? `${row.name}\n${row.description}` : row.name}
        dir="auto"
        className="truncate font-medium hover:underline"
      >
        {row.name}
      </LightLink>
      {baseline?.id === row.id && (
        <span
          title="Other experiments of this dataset are compared with it"
          className="inline-flex shrink-0 items-center gap-1 rounded-control border border-border bg-sunken px-1 text-meta text-fg-muted"
        >
          <Pin size={10} aria-hidden />
          baseline
        </span>
      )}
    </span>
  )
}

/** The version of the dataset, linked to its examples. */
function Version({ row: { version, name }, context }: { row: ExperimentRow; context: ExperimentColumnsContext }) {
  if (version === undefined) return <None />
  return (
    <LightLink
      href={`/o/${context.tenant}/datasets/${context.datasetId}${printSearch({ as_of: version })}`}
      tabIndex={-1}
      title={`Examples as ${name} used them: ${version}`}
      className="hover:underline"
    >
      {formatMinute(version)}
    </LightLink>
  )
}

function RowMenu({ row, context }: { row: ExperimentRow; context: ExperimentColumnsContext }) {
  if (!context.mayWrite) return null
  const isBaseline = context.baseline?.id === row.id
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${row.name}`} tabIndex={-1} />}>
      <MenuItem
        icon={isBaseline ? <PinOff size={13} /> : <Pin size={13} />}
        keys="b"
        onSelect={() => context.onBaseline(isBaseline ? null : row)}
      >
        {isBaseline ? 'Unpin baseline' : 'Use as baseline'}
      </MenuItem>
      <MenuItem icon={<Pencil size={13} />} keys="f2" onSelect={() => context.onRename(row)}>
        Rename
      </MenuItem>
      <MenuItem icon={<Inbox size={13} />} keys="shift+q" onSelect={() => context.onQueue(row)}>
        Add runs to queue…
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Trash2 size={13} />} danger keys="delete" onSelect={() => context.onDelete(row)}>
        Delete…
      </MenuItem>
    </Menu>
  )
}

const CARD_SCORES = 2

/** An experiment or a group in two lines, for phones. */
export function ExperimentCard({ row, context }: { row: ListRow; context: ExperimentColumnsContext }) {
  const keys = [...row.figures.feedback.keys()].slice(0, CARD_SCORES)
  return (
    <div className="flex flex-col">
      <div className="flex h-8 min-w-0 items-center gap-2 text-base">
        <Mark row={row} context={context} />
        <span className="min-w-0 flex-1">
          <Name row={row} context={context} />
        </span>
        {row.kind === 'experiment' && <RowMenu row={row.experiment} context={context} />}
      </div>
      <div className="flex min-w-0 gap-3 overflow-hidden whitespace-nowrap text-fg-muted">
        <span className="shrink-0">{pluralize(row.figures.runCount, 'run')}</span>
        {keys.map((key) => (
          <span key={key} className="flex min-w-0 gap-1">
            <span className="truncate">{key}</span>
            <span className="shrink-0 tabular-nums text-fg">
              <ScoreCell row={row} feedbackKey={key} context={context} />
            </span>
          </span>
        ))}
      </div>
    </div>
  )
}
