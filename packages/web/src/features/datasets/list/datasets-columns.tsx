import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ellipsis, Globe, Pencil, Settings, Trash2 } from 'lucide-react'
import { TopMetric } from '#features/experiments/top-metric.tsx'
import { formatAbsoluteTime, formatCount, formatRelativeTime, pluralize, UNKNOWN } from '#lib/format.ts'
import { getSortDirection, nextSort } from '#lib/row-sort.ts'
import { IconButton } from '#ui/button.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { Skeleton } from '#ui/states.tsx'
import type { DatasetDialog } from '../dataset-dialogs.tsx'
import { type DatasetRow, TYPE_LABELS } from '../datasets-controller.ts'
import { exampleQuery } from '../examples/queries.ts'
import type { LastExperiment } from '../last-experiment.ts'

export interface ColumnsContext {
  tenant: string
  /** Whether the row actions that change something are shown. */
  mayWrite: boolean
  sort: string
  onSort: (sort: string) => void
  onDialog: (dialog: DatasetDialog) => void
}

export function datasetColumns(context: ColumnsContext): Column<DatasetRow>[] {
  const { tenant, sort, onSort } = context
  const sorted = (id: string) => ({ direction: getSortDirection(sort, id), onSort: () => onSort(nextSort(sort, id)) })
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(160px, 2fr)',
      sort: sorted('name'),
      cell: (row) => <NameLink row={row} tenant={tenant} />,
    },
    {
      id: 'type',
      header: 'Type',
      width: '84px',
      sort: sorted('type'),
      cell: ({ dataset }) => TYPE_LABELS[dataset.data_type ?? 'kv'] ?? dataset.data_type,
    },
    {
      id: 'examples',
      header: 'Examples',
      width: '88px',
      align: 'end',
      sort: sorted('examples'),
      cell: ({ dataset }) => formatCount(dataset.example_count),
    },
    {
      id: 'experiments',
      header: 'Experiments',
      width: '104px',
      align: 'end',
      sort: sorted('experiments'),
      cell: ({ dataset }) => (
        <Link
          to="/o/$tenant/datasets/$datasetId/experiments"
          params={{ tenant, datasetId: dataset.id }}
          tabIndex={-1}
          aria-label={`Experiments of ${dataset.name}`}
          className="hover:underline"
        >
          {formatCount(dataset.session_count)}
        </Link>
      ),
    },
    {
      id: 'last_experiment',
      header: 'Last experiment',
      width: 'minmax(200px, 1.6fr)',
      sort: sorted('last_experiment'),
      cell: (row) => <LastExperimentLink row={row} tenant={tenant} />,
    },
    {
      id: 'metric',
      header: 'Top metric',
      width: 'minmax(190px, 1.2fr)',
      cell: ({ isWaiting, lastExperiment }) =>
        isWaiting ? <Skeleton className="w-24" /> : lastExperiment && <TopMetric experiment={lastExperiment} />,
    },
    {
      id: 'splits',
      header: 'Splits',
      width: 'minmax(90px, 0.8fr)',
      cell: ({ dataset }) => <Splits datasetId={dataset.id} />,
    },
    {
      id: 'modified_at',
      header: 'Modified',
      width: '108px',
      sort: sorted('modified_at'),
      cell: ({ dataset }) => <Time at={dataset.modified_at} />,
    },
    {
      id: 'shared',
      header: 'Shared',
      width: '72px',
      cell: ({ shareToken }) =>
        shareToken && (
          <a
            href={`/public/${shareToken}/d`}
            target="_blank"
            rel="noreferrer"
            tabIndex={-1}
            className="hover:underline"
            title="Open the public page"
          >
            Public
          </a>
        ),
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: '44px',
      cell: (row) => <RowMenu row={row} {...context} />,
    },
  ]
}

/** A dataset in two lines, for phones. */
export function DatasetCard({ row, tenant }: { row: DatasetRow; tenant: string }) {
  const { dataset, lastExperiment } = row
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2 text-base">
        <NameLink row={row} tenant={tenant} />
        <span className="ml-auto shrink-0 text-row text-fg-muted">
          <Time at={dataset.modified_at} />
        </span>
      </div>
      <div className="flex gap-3 text-fg-muted">
        <span>{pluralize(dataset.example_count, 'example')}</span>
        <span>{pluralize(dataset.session_count, 'experiment')}</span>
        {lastExperiment?.metric && (
          <span className="ml-auto min-w-0">
            <TopMetric experiment={lastExperiment} />
          </span>
        )}
      </div>
    </div>
  )
}

function NameLink({ row: { dataset }, tenant }: { row: DatasetRow; tenant: string }) {
  return (
    <Link
      to="/o/$tenant/datasets/$datasetId"
      params={{ tenant, datasetId: dataset.id }}
      tabIndex={-1}
      title={dataset.description ? `${dataset.name}\n${dataset.description}` : dataset.name}
      dir="auto"
      className="truncate font-medium hover:underline"
    >
      {dataset.name}
    </Link>
  )
}

function LastExperimentLink({ row, tenant }: { row: DatasetRow; tenant: string }) {
  const { dataset, lastExperiment, isWaiting } = row
  if (isWaiting) return <Skeleton className="w-32" />
  if (!lastExperiment) return null
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <Link
        to="/o/$tenant/datasets/$datasetId/compare"
        params={{ tenant, datasetId: dataset.id }}
        search={{ selectedSessions: lastExperiment.id }}
        tabIndex={-1}
        title={lastExperiment.name}
        dir="auto"
        className="min-w-0 truncate hover:underline"
      >
        {lastExperiment.name}
      </Link>
      <span className="shrink-0 text-fg-muted" title={formatAbsoluteTime(lastExperiment.startedAt)}>
        {describeWhen(lastExperiment)}
      </span>
    </span>
  )
}

/** `12m ago by Ada` */
function describeWhen({ startedAt, author }: LastExperiment): string {
  const when = formatRelativeTime(startedAt).replace(/(:\d\d)\.\d{3}$/, '$1')
  return author === undefined ? when : `${when} by ${author.slice(0, 40)}`
}

function Splits({ datasetId }: { datasetId: string }) {
  const splits = useQuery(exampleQuery.splits(datasetId))
  if (splits.isError) return <span title="Could not load the splits">!</span>
  const names = splits.data?.join(', ')
  return (
    <span className="truncate text-fg-muted" title={names}>
      {names}
    </span>
  )
}

function Time({ at }: { at: string | undefined }) {
  if (!at) return <span className="text-fg-subtle">{UNKNOWN}</span>
  return <span title={formatAbsoluteTime(at)}>{formatRelativeTime(at).replace(/\.\d{3}$/, '')}</span>
}

function RowMenu({ row, tenant, mayWrite, onDialog }: { row: DatasetRow } & ColumnsContext) {
  const { dataset } = row
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${dataset.name}`} tabIndex={-1} />}>
      <MenuItem asChild>
        <Link to="/o/$tenant/datasets/$datasetId/settings" params={{ tenant, datasetId: dataset.id }}>
          <Settings size={13} aria-hidden /> Settings
        </Link>
      </MenuItem>
      {mayWrite && (
        <>
          <MenuItem
            icon={<Pencil size={13} aria-hidden />}
            keys="f2"
            onSelect={() => onDialog({ kind: 'rename', dataset })}
          >
            Rename…
          </MenuItem>
          <MenuItem icon={<Globe size={13} aria-hidden />} onSelect={() => onDialog({ kind: 'share', dataset })}>
            Share…
          </MenuItem>
          <MenuItem
            icon={<Trash2 size={13} aria-hidden />}
            danger
            onSelect={() => onDialog({ kind: 'delete', dataset })}
          >
            Delete…
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
