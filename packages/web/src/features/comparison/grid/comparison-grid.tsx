import { createContext, type MouseEvent, memo, type Ref, use, useCallback, useMemo } from 'react'
import { cx } from '#lib/browser.ts'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import type { RowProviderProps } from '#ui/grid-row.tsx'
import { NARROW, useMedia } from '#ui/hooks.tsx'
import { Select } from '#ui/select.tsx'
import { Skeleton } from '#ui/states.tsx'
import { type Comparison, findShownRun } from '../comparison.ts'
import { Swatch } from '../experiment-header.tsx'
import { isLowerBetter } from '../logic/comparison-measures.ts'
import { nextSort, printSort } from '../logic/comparison-rows.ts'
import { CellScores, OutputCell, type OutputCellProps, RowTextsProvider, useRowTexts } from './output-cell.tsx'

export interface GridRowItem {
  readonly id: string
  readonly example: number
}

export interface ComparisonGridProps {
  comparison: Comparison
  items: readonly GridRowItem[]
  activeId: string | undefined
  /** Index of the experiment whose cell has the focus. */
  activeExperiment: number
  selectedIds: ReadonlySet<string>
  /** Absent where nothing can be done with a selection. */
  onSelect: ((id: string) => void) | undefined
  /** A cell of an experiment was clicked. */
  onCell: (item: GridRowItem, experiment: number) => void
  /** The example itself was clicked. */
  onExample: (item: GridRowItem) => void
  gridRef: Ref<GridHandle>
  initialOffset: number | undefined
  onScroll: (offset: number) => void
}

interface AnswersOfProps {
  comparison: Comparison
  activeExperiment: number
  onChange: (experiment: number) => void
}

/** Selects the experiment whose answers are shown on a phone. */
export function AnswersOf({ comparison, activeExperiment, onChange }: AnswersOfProps) {
  const isNarrow = useMedia(NARROW)
  const { experiments } = comparison.cells
  if (!isNarrow || experiments.length < 2) return null
  return (
    <div className="shrink-0 p-2">
      <Select
        aria-label="Answers of"
        value={String(activeExperiment)}
        onChange={(at) => onChange(Number(at))}
        options={experiments.map(({ name }, at) => ({ value: String(at), label: name }))}
      />
    </div>
  )
}

/** Heights of a row in px: three lines of text, a line of scores, a line of figures; more for differences. */
const ROW_HEIGHT = { off: 116, reference: 184, baseline: 184 } as const
const ROW_PADDING = 17

/** The rows of the grid, as objects that stay the same while the comparison is filtered. */
export function useGridItems({ cells, rows }: Pick<Comparison, 'cells' | 'rows'>): readonly GridRowItem[] {
  const all = useMemo(() => cells.exampleIds.map((id, example) => ({ id, example })), [cells])
  return useMemo(() => rows.flatMap((example) => all[example] ?? []), [all, rows])
}

/** Examples as rows, experiments as columns. */
export function ComparisonGrid(props: ComparisonGridProps) {
  const { comparison, items, activeId } = props
  const rowHeight = ROW_HEIGHT[comparison.search.diff]
  const ofCells = useForCells(comparison)
  const columns = useColumns(props, ofCells, rowHeight - ROW_PADDING)
  const { activeExperiment, selectedIds } = props
  const marks = useMemo(() => ({ activeId, activeExperiment, selectedIds }), [activeId, activeExperiment, selectedIds])
  const card = useCallback((item: GridRowItem) => <ExampleCard comparison={ofCells} item={item} />, [ofCells])
  function click({ example, id }: GridRowItem, { target }: MouseEvent) {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-experiment]') : null
    if (cell) props.onCell({ example, id }, Number(cell.dataset.experiment))
    else props.onExample({ example, id })
  }
  return (
    <CellsContext value={ofCells}>
      <MarksContext value={marks}>
        <DataGrid
          label="Comparison"
          columns={columns}
          rows={items}
          rowId={getItemId}
          rowHeight={rowHeight}
          card={card}
          rowProvider={RowProvider}
          total={items.length + 1}
          activeId={activeId}
          selectedIds={props.selectedIds}
          onRowClick={click}
          onScroll={props.onScroll}
          initialOffset={props.initialOffset}
          ref={props.gridRef}
        />
      </MarksContext>
    </CellsContext>
  )
}

type Marks = Pick<ComparisonGridProps, 'activeId' | 'activeExperiment' | 'selectedIds'>

/** What moves while the columns stay: a step from cell to cell renders two cells and not every row. */
const MarksContext = createContext<Marks>({ activeId: undefined, activeExperiment: 0, selectedIds: new Set() })

/** The comparison for the rows of a grid: their provider must stay the same component, so that open layers stay open. */
const CellsContext = createContext<Comparison | undefined>(undefined)

function RowProvider({ row, children }: RowProviderProps<GridRowItem>) {
  const comparison = use(CellsContext)
  if (comparison === undefined) return children
  return (
    <RowTextsProvider comparison={comparison} example={row.example}>
      {children}
    </RowTextsProvider>
  )
}

const getItemId = ({ id }: GridRowItem) => id

/**
 * The comparison as its cells show it. It keeps its identity when only the rows change, so that a filter does not render
 * the rows that stay.
 */
function useForCells(comparison: Comparison): Comparison {
  const { view, cells, baseline, measured, measures, repetition, search } = comparison
  const { diff } = search
  // biome-ignore lint/correctness/useExhaustiveDependencies: cells read nothing else
  return useMemo(() => comparison, [view, cells, baseline, measured, measures, repetition, diff])
}

function useColumns(props: ComparisonGridProps, ofCells: Comparison, height: number): readonly Column<GridRowItem>[] {
  const { onSelect } = props
  const { sort, change } = props.comparison
  return useMemo(() => {
    const { cells } = ofCells
    const select: Column<GridRowItem>[] = [
      {
        id: 'select',
        header: <span className="sr-only">Select</span>,
        width: '34px',
        isPinned: true,
        cell: ({ id }) => <SelectCell id={id} onSelect={onSelect} />,
      },
    ]
    return [
      ...(onSelect === undefined ? [] : select),
      {
        id: 'input',
        header: 'Input',
        width: 'minmax(160px, 1fr)',
        isPinned: true,
        cell: ({ example }) => <ExampleText comparison={ofCells} example={example} part="input" height={height} />,
      },
      {
        id: 'reference',
        header: 'Reference',
        width: 'minmax(150px, 1fr)',
        cell: ({ example }) => <ExampleText comparison={ofCells} example={example} part="reference" height={height} />,
      },
      ...cells.experiments.map(
        (experiment, at): Column<GridRowItem> => ({
          id: experiment.id,
          header: (
            <span className="flex min-w-0 items-center gap-1.5">
              <Swatch comparison={ofCells} experiment={at} />
              <span className="truncate">{experiment.name}</span>
            </span>
          ),
          width: 'minmax(270px, 2fr)',
          sort: toSort({ ...ofCells, sort, change }, at),
          cell: ({ id, example }) => (
            <ExperimentCell id={id} comparison={ofCells} experiment={at} example={example} height={height} />
          ),
        }),
      ),
    ]
  }, [ofCells, sort, change, height, onSelect])
}

function SelectCell({ id, onSelect }: { id: string } & Pick<ComparisonGridProps, 'onSelect'>) {
  return (
    <input
      type="checkbox"
      aria-label="Select the example"
      tabIndex={-1}
      checked={use(MarksContext).selectedIds.has(id)}
      onChange={() => onSelect?.(id)}
      className="mt-1"
    />
  )
}

function ExperimentCell({ id, ...cell }: { id: string } & Omit<OutputCellProps, 'isActive'>) {
  const { activeId, activeExperiment } = use(MarksContext)
  return <KeptOutputCell {...cell} isActive={id === activeId && cell.experiment === activeExperiment} />
}

const KeptOutputCell = memo(OutputCell)

/** Sorts by the difference to the baseline; the baseline itself by its value. */
function toSort(
  { cells, measured, sort, baseline, change }: Comparison,
  at: number,
): NonNullable<Column<unknown>['sort']> {
  const id = cells.experiments[at]?.id ?? ''
  const by = measured.baseline === undefined || at === baseline ? 'value' : 'delta'
  const isSorted = sort?.of === id && sort.by === by
  return {
    direction: isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined,
    onSort: () => {
      const next = nextSort(sort, by, id, measured.isLowerBetter ?? isLowerBetter(cells, measured.measure))
      change({ sort: next && printSort(next) })
    },
    hint: by === 'delta' ? 'Sort by the difference to the baseline' : 'Sort by the metric',
  }
}

interface ExampleTextProps {
  comparison: Comparison
  example: number
  part: 'input' | 'reference'
  height: number
}

function ExampleText({ comparison, example, part, height }: ExampleTextProps) {
  const { data, isPending, error } = useRowTexts()
  const { cells } = comparison
  const isDeleted = example >= cells.exampleIds.length - cells.deletedCount
  const lines = height > 120 ? 'line-clamp-[9]' : 'line-clamp-4'
  return (
    <div className="flex flex-col gap-1 whitespace-normal text-row">
      {isPending ? (
        <Skeleton className="mt-1 w-3/4" />
      ) : error ? (
        <p className="text-err">Could not load: {error.message}</p>
      ) : isDeleted ? (
        part === 'input' && <p className="text-fg-subtle">This example was deleted from the dataset.</p>
      ) : (
        <p className={cx(lines, '[overflow-wrap:anywhere]', part === 'reference' && 'text-fg-muted')}>
          {data?.[part] || <span className="text-fg-subtle">{part === 'reference' ? 'No reference' : 'Empty'}</span>}
        </p>
      )}
      {part === 'input' && (cells.splits[example] ?? []).some((split) => split !== 'base') && (
        <p className="truncate text-meta text-fg-subtle">{cells.splits[example]?.join(', ')}</p>
      )}
    </div>
  )
}

interface ExampleCardProps {
  comparison: Comparison
  item: GridRowItem
}

/** A row on a phone: the input and the answer of one experiment. */
function ExampleCard({ comparison, item: { example } }: ExampleCardProps) {
  const { activeExperiment: experiment } = use(MarksContext)
  const { cells } = comparison
  const { data } = useRowTexts()
  const run = findShownRun(comparison, experiment, example)
  const text = run === undefined ? undefined : data?.runs.get(cells.experiments[experiment]?.runs.id[run] ?? '')
  return (
    <div data-experiment={experiment} className="flex min-w-0 flex-col">
      <p className="truncate text-row font-medium">{data?.input ?? '\u00a0'}</p>
      <p className={cx('truncate text-row', text?.error ? 'text-err' : 'text-fg-muted')}>
        {run === undefined ? 'No run' : text?.error || text?.output || '\u00a0'}
      </p>
      <CellScores comparison={comparison} experiment={experiment} example={example} />
    </div>
  )
}
