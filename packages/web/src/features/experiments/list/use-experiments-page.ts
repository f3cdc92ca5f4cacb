import { useMutation, useQueryClient } from '@tanstack/react-query'
import { linkOptions, useNavigate, useRouter } from '@tanstack/react-router'
import { useMemo, useReducer, useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import type { GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { toast } from '#ui/toast.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { assignColors } from '../colors.ts'
import type { ListRow } from '../experiment-list.ts'
import type { ExperimentRow } from '../experiment-row.ts'
import { experimentMutation, refreshExperiments } from '../queries.ts'
import type { ExperimentsSearch } from '../search.ts'
import type { ExperimentColumnsContext } from './experiments-columns.tsx'
import {
  type ExperimentsPageAction,
  INITIAL_STATE,
  reduceExperimentsPage,
  toCompared,
} from './experiments-controller.ts'
import { type Experiments, useExperiments } from './use-experiments.ts'

export interface ExperimentsPageProps {
  tenant: string
  datasetId: string
  search: ExperimentsSearch
}

/** State, keyboard and navigation of the page. */
export function useExperimentsPage({ tenant, datasetId, search }: ExperimentsPageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/datasets/$datasetId/experiments' })
  const router = useRouter()
  const toComparison = (experimentIds: readonly string[]) =>
    linkOptions({
      to: '/o/$tenant/datasets/$datasetId/compare',
      params: { tenant, datasetId },
      search: { selectedSessions: experimentIds.join() },
    })
  const mayWrite = useMay('member')
  const { recall, note } = useEntryMemory<{ offset: number; activeId: string }>('experiments')
  const [memory] = useState(recall)
  const [state, dispatch] = useReducer(reduceExperimentsPage, { ...INITIAL_STATE, activeId: memory?.activeId })
  const experiments = useExperiments(datasetId, search, state.closedGroups)
  const { all, rows, baseline } = experiments
  const grid = useRef<GridHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const setBaseline = useSetBaseline(datasetId, experiments)

  const selectedRows = [...state.selected].flatMap((id) => all.find((row) => row.id === id) ?? [])
  const ids = selectedRows.map(({ id }) => id)
  const idsText = ids.join()
  const selected = useMemo(() => assignColors(idsText === '' ? [] : idsText.split(',')), [idsText])
  const compared = toCompared(ids, baseline?.id)
  const onSearch = (change: Partial<ExperimentsSearch>, isDeliberate: boolean) =>
    void navigate({ search: (kept) => ({ ...kept, ...change }), replace: !isDeliberate })
  const openComparison = (experimentIds: readonly string[]) => void navigate(toComparison(experimentIds))
  const preloadComparison = (experimentIds: readonly string[]) => void router.preloadRoute(toComparison(experimentIds))
  function setActive(id: string) {
    dispatch({ kind: 'activate', id })
    note({ activeId: id })
  }
  /** Opens the page of an experiment; opens or closes a group. */
  function openRow(row: ListRow) {
    setActive(row.id)
    if (row.kind === 'group') dispatch({ kind: 'toggle-group', id: row.id })
    else openComparison([row.id])
  }
  function pick(id: string) {
    dispatch({ kind: 'toggle', id })
    setActive(id)
  }
  const context: ExperimentColumnsContext = {
    tenant,
    datasetId,
    baseline,
    mayWrite,
    sort: search.sort,
    onSort: (sort) => onSearch({ sort }, false),
    selected,
    onSelect: (id) => dispatch({ kind: 'toggle', id }),
    onToggleGroup: (id) => dispatch({ kind: 'toggle-group', id }),
    onBaseline: setBaseline,
    onRename: (row) => dispatch({ kind: 'open', dialog: { kind: 'rename', row } }),
    onQueue: (row) => dispatch({ kind: 'open', dialog: { kind: 'queue', rows: [row] } }),
    onDelete: (row) => dispatch({ kind: 'open', dialog: { kind: 'delete', rows: [row] } }),
  }
  const active = rows.find(({ id }) => id === state.activeId)
  const rowIds = rows.map(({ id }) => id)
  const openActive = () => active && openRow(active)
  useGridKeys({ grid, ids: rowIds, activeId: state.activeId, onActive: setActive, onOpen: openActive })
  useExperimentShortcuts({
    active: active?.kind === 'experiment' ? active.experiment : undefined,
    selectedRows,
    baseline,
    mayWrite,
    onSearch: () => field.current?.focus(),
    onCompare: () => compared && openComparison(compared),
    onBaseline: setBaseline,
    dispatch,
  })
  return {
    state,
    dispatch,
    experiments,
    context,
    selectedRows,
    compared,
    grid,
    field,
    initialOffset: memory?.offset,
    onScroll: (offset: number) => note({ offset }),
    onSearch,
    openComparison,
    preloadComparison,
    openRow,
    pick,
  }
}

/** Pins or unpins the baseline; the message offers to undo it. */
function useSetBaseline(datasetId: string, { baselineId }: Experiments) {
  const queryClient = useQueryClient()
  const mutation = useMutation({
    ...experimentMutation.setBaseline(datasetId),
    onSuccess: () => refreshExperiments(queryClient),
    onError: (cause) => toast.failure('Could not change the baseline', cause),
  })
  return (row: ExperimentRow | null) => {
    mutation.mutate(row?.id ?? null, {
      onSuccess: () =>
        toast.done(row === null ? 'The dataset has no baseline now' : `${row.name} is the baseline now`, {
          label: 'Undo',
          run: () => mutation.mutate(baselineId),
        }),
    })
  }
}

interface ExperimentShortcuts {
  active: ExperimentRow | undefined
  selectedRows: readonly ExperimentRow[]
  baseline: ExperimentRow | undefined
  mayWrite: boolean
  onSearch: () => void
  onCompare: () => void
  onBaseline: (row: ExperimentRow | null) => void
  dispatch: (action: ExperimentsPageAction) => void
}

function useExperimentShortcuts(props: ExperimentShortcuts) {
  const { active, selectedRows, baseline, mayWrite, onSearch, onCompare, onBaseline, dispatch } = props
  /** The selected experiments, otherwise the one with the focus. */
  const targets = selectedRows.length > 0 ? selectedRows : active === undefined ? [] : [active]
  const openFor = (kind: 'delete' | 'queue') =>
    mayWrite && targets.length > 0 && dispatch({ kind: 'open', dialog: { kind, rows: targets } })
  useShortcuts('List', [
    { keys: '/', label: 'Search', run: onSearch },
    { keys: 'x', label: 'Select', run: () => active && dispatch({ kind: 'toggle', id: active.id }) },
    { keys: 'c', label: 'Compare the selected experiments', run: onCompare },
    {
      keys: 'b',
      label: 'Use as baseline, or unpin it',
      run: () => mayWrite && active && onBaseline(active.id === baseline?.id ? null : active),
    },
    {
      keys: 'f2',
      label: 'Rename',
      run: () => mayWrite && active && dispatch({ kind: 'open', dialog: { kind: 'rename', row: active } }),
    },
    { keys: 'shift+q', label: 'Add runs to a queue', run: () => openFor('queue') },
    { keys: 'delete', label: 'Delete', run: () => openFor('delete') },
  ])
}
