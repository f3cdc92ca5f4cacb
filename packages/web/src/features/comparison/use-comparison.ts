import { useQuery } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { useEffect, useMemo, useRef, useState } from 'react'
import { toExperimentRow } from '#features/experiments/experiment-row.ts'
import type { CompareSearch } from '#features/experiments/search.ts'
import type { Comparison } from './comparison.ts'
import { getRevision, parseRepetition, parseSelected } from './logic/compare-state.ts'
import { type ComparisonCells, countRepetitions, findBaseline } from './logic/comparison.ts'
import { chooseMeasure, createMeasures } from './logic/comparison-measures.ts'
import { parseSort, sortRows } from './logic/comparison-rows.ts'
import { filterRows, parseConditions, parseShows } from './logic/row-filter.ts'
import { type ComparisonView, comparisonQuery } from './queries.ts'

const NO_PROJECTS = new Map<string, never>()
/** Refresh interval of a running comparison; a large answer is read less often. */
const LIVE_MS = { small: 3_000, large: 10_000 }
const LARGE = 20_000

export interface ComparisonViewOptions extends Pick<Comparison, 'tenant' | 'exampleCount' | 'search' | 'change'> {
  datasetId: string
  /** Token of the share link to read through. */
  share?: string | undefined
}

/**
 * Loads experiments and computes what a page of their comparison shows.
 *
 * @param options  `change` must keep its identity
 */
export function useComparisonView({ tenant, datasetId, share, exampleCount, search, change }: ComparisonViewOptions) {
  const { selectedSessions } = search
  const { ids, omitted } = useMemo(() => parseSelected({ selectedSessions }), [selectedSessions])
  const view = useMemo(
    () => ({ datasetId, experimentIds: ids, comparativeExperimentId: search.comparativeExperiment, share }),
    [datasetId, ids, search.comparativeExperiment, share],
  )
  const query = useQuery(comparisonQuery.cells(view))
  const experiments = useQuery({
    ...comparisonQuery.experiments(view),
    refetchInterval: ({ state }) => getLiveMs(state.data, query.data, exampleCount),
  })
  const projects = experiments.data ?? NO_PROJECTS
  useRefreshOnNews(projects, query.refetch)
  const cells = query.data
  const foundView = useMemo(() => cells && toFoundView(view, cells), [view, cells])
  const text = useDeferredText(search.q?.trim() ?? '')
  const filter = search.meta?.trim() ?? ''
  const isSearching = text !== '' || filter !== ''
  const found = useQuery(comparisonQuery.search(view, { text, filter }))
  const matching = isSearching ? found.data : undefined
  const shown = useShown(cells, search, matching)
  const comparison = useMemo(
    (): Comparison | undefined =>
      cells &&
      foundView &&
      shown && { tenant, view: foundView, cells, projects, exampleCount, search, change, ...shown },
    [tenant, foundView, cells, projects, exampleCount, search, change, shown],
  )
  return { query, comparison, ids, omitted, searchError: isSearching ? found.error : null }
}

/** Texts are read only of experiments that exist. */
function toFoundView(view: ComparisonView, { experiments }: ComparisonCells): ComparisonView {
  return { ...view, experimentIds: experiments.map(({ id }) => id) }
}

/** Refresh interval of running experiments; a large comparison is read less often. */
function getLiveMs(
  projects: ReadonlyMap<string, Project> | undefined,
  cells: ComparisonCells | undefined,
  exampleCount: number | undefined,
): number | false {
  const now = Date.now()
  const isRunning = [...(projects?.values() ?? [])].some(
    (project) => toExperimentRow(project, { now, exampleCount }).progress.state === 'running',
  )
  if (!isRunning) return false
  const runs = cells?.experiments.reduce((sum, one) => sum + one.runs.count, 0) ?? 0
  return runs > LARGE ? LIVE_MS.large : LIVE_MS.small
}

/** Reads the runs again when the figures of the experiments show that runs or scores have arrived. */
function useRefreshOnNews(projects: ReadonlyMap<string, Project>, refetch: () => unknown) {
  const revision = getRevision(projects.values())
  const shown = useRef(revision)
  useEffect(() => {
    if (shown.current !== '' && shown.current !== revision) refetch()
    shown.current = revision
  }, [revision, refetch])
}

/** Baseline, metric and rows of the search params. Each step is computed again only when its own params change. */
function useShown(
  cells: ComparisonCells | undefined,
  search: CompareSearch,
  matching: ReadonlySet<string> | undefined,
) {
  const { metric, flip, show, split, filter, sort } = search
  const repetitions = useMemo(() => (cells ? countRepetitions(cells) : 0), [cells])
  const repetition = parseRepetition(search, repetitions)
  const baseline = cells ? findBaseline(cells, search.baseline) : 0
  const measures = useMemo(() => cells && createMeasures(cells, baseline, repetition), [cells, baseline, repetition])
  const measured = useMemo(() => {
    if (!cells || !measures) return undefined
    const found = measures(chooseMeasure(cells, metric))
    return flip ? { ...found, isLowerBetter: !found.isLowerBetter } : found
  }, [cells, measures, metric, flip])
  const rowFilter = useMemo(
    () => ({ shows: parseShows(show), split, conditions: parseConditions(filter), matching }),
    [show, split, filter, matching],
  )
  const found = useMemo(
    () => (cells && measured ? filterRows(cells, measured, rowFilter) : []),
    [cells, measured, rowFilter],
  )
  const rowSort = useMemo(() => parseSort(sort), [sort])
  const rows = useMemo(
    () => (cells && measured ? sortRows(found, cells, measured, rowSort) : []),
    [cells, measured, found, rowSort],
  )
  return useMemo(
    () =>
      measures &&
      measured && { baseline, measures, measured, repetition, repetitions, filter: rowFilter, sort: rowSort, rows },
    [baseline, measures, measured, repetition, repetitions, rowFilter, rowSort, rows],
  )
}

/** Typing is searched when it pauses. */
const TYPING_MS = 250

function useDeferredText(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return text === '' ? '' : settled
}
