import type { Comparison } from '../comparison.ts'
import { type ComparisonCells, countRepetitions } from '../logic/comparison.ts'
import { chooseMeasure, createMeasures } from '../logic/comparison-measures.ts'

/** What a page shows of these cells without filters. */
export function aComparison(cells: ComparisonCells, changes: Partial<Comparison> = {}): Comparison {
  const { baseline = 0, repetition } = changes
  const measures = createMeasures(cells, baseline, repetition)
  return {
    tenant: 't',
    view: { datasetId: 'd', experimentIds: cells.experiments.map(({ id }) => id) },
    cells,
    projects: new Map(),
    exampleCount: cells.exampleIds.length,
    baseline,
    measures,
    measured: measures(chooseMeasure(cells, undefined)),
    repetition,
    repetitions: countRepetitions(cells),
    filter: { shows: [], conditions: [] },
    sort: undefined,
    rows: [...cells.exampleIds.keys()],
    search: { layout: 'grid', diff: 'off' },
    change: () => undefined,
    ...changes,
  }
}
