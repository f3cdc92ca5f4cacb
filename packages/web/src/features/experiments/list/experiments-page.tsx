import { Suspense, useMemo } from 'react'
import { DatasetFrame } from '#features/datasets/dataset-frame.tsx'
import { formatCount } from '#lib/format.ts'
import { DataGrid } from '#ui/data-grid.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { ExperimentsActions } from './experiments-actions.tsx'
import { ExperimentCard, experimentColumns } from './experiments-columns.tsx'
import { ExperimentsState } from './experiments-state.tsx'
import { chartsPreference, ExperimentsToolbar } from './experiments-toolbar.tsx'
import type { Experiments } from './use-experiments.ts'
import { type ExperimentsPageProps, useExperimentsPage } from './use-experiments-page.ts'

const Charts = lazyExtra(() => import('./experiments-charts.tsx').then((module) => module.ExperimentsCharts))
const Dialogs = lazyExtra(() => import('./experiments-dialogs.tsx').then((module) => module.ExperimentDialogs))

/** The experiments of a dataset with their figures, trends and differences to the baseline. */
export function ExperimentsPage(props: ExperimentsPageProps) {
  const { tenant, datasetId, search } = props
  const [hasCharts] = usePreference(chartsPreference)
  const page = useExperimentsPage(props)
  const { state, dispatch, experiments, selectedRows, onSearch } = page
  const { all, found, rows, baseline } = experiments
  return (
    <DatasetFrame
      tenant={tenant}
      datasetId={datasetId}
      tab="experiments"
      actions={
        <ExperimentsActions
          rows={selectedRows}
          compared={page.compared}
          mayWrite={page.context.mayWrite}
          onCompare={page.openComparison}
          onApproachCompare={page.preloadComparison}
          dispatch={dispatch}
        />
      }
      toolbar={
        all.length > 0 && <ExperimentsToolbar {...{ datasetId, search, experiments, onSearch }} field={page.field} />
      }
      status={<ExperimentsStatus experiments={experiments} selectedCount={selectedRows.length} />}
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ExperimentsState {...{ tenant, datasetId, search, experiments, onSearch }} />
        <Suspense>
          {hasCharts && found.length > 0 && (
            <Charts
              rows={found}
              x={search.x}
              metric={search.metric}
              baselineId={baseline?.id}
              selected={page.context.selected}
              onMetric={(metric) => onSearch({ metric }, false)}
              onPick={page.pick}
            />
          )}
        </Suspense>
        {rows.length > 0 && <ExperimentsGrid {...page} />}
      </div>
      <Suspense>
        {state.dialog && (
          <Dialogs dialog={state.dialog} baselineId={baseline?.id} onClose={() => dispatch({ kind: 'close' })} />
        )}
      </Suspense>
    </DatasetFrame>
  )
}

type ExperimentsGridProps = Pick<
  ReturnType<typeof useExperimentsPage>,
  'grid' | 'experiments' | 'context' | 'state' | 'initialOffset' | 'onScroll' | 'openRow'
>

function ExperimentsGrid({
  grid,
  experiments,
  context,
  state,
  initialOffset,
  onScroll,
  openRow,
}: ExperimentsGridProps) {
  const { rows, columns, list } = experiments
  const { tenant, datasetId, baseline, mayWrite, sort, selected } = context
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks do the same in every render
  const shown = useMemo(
    () => experimentColumns(columns, context),
    [columns, tenant, datasetId, baseline, mayWrite, sort, selected],
  )
  const selectedIds = useMemo(() => new Set(selected.keys()), [selected])
  return (
    <DataGrid
      ref={grid}
      label="Experiments"
      columns={shown}
      rows={rows}
      rowId={({ id }) => id}
      rowHeight={32}
      card={(row) => <ExperimentCard row={row} context={context} />}
      total={list.hasNextPage ? undefined : rows.length}
      activeId={state.activeId}
      selectedIds={selectedIds}
      onRowClick={openRow}
      initialOffset={initialOffset}
      onScroll={onScroll}
    />
  )
}

function ExperimentsStatus({ experiments, selectedCount }: { experiments: Experiments; selectedCount: number }) {
  const { list, all, found } = experiments
  if (!list.isSuccess || all.length === 0) return null
  const running = all.filter(({ progress }) => progress.state === 'running').length
  return (
    <span role="status">
      {found.length === all.length
        ? formatCount(all.length)
        : `${formatCount(found.length)} of ${formatCount(all.length)}`}
      {list.hasNextPage && '+'} {all.length === 1 ? 'experiment' : 'experiments'}
      {running > 0 && `, ${formatCount(running)} running`}
      {selectedCount > 0 && `, ${formatCount(selectedCount)} selected`}
    </span>
  )
}
