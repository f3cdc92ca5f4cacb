export {
  type FigureRow,
  presentFigures,
  type RootSelection,
  readProjectFacets,
  readProjectFigures,
  selectFigures,
  toFigureColumns,
  toSeconds,
} from './figures.ts'
export { selectMatchedRuns, selectRatedRuns } from './matched-runs.ts'
export { type Measure, selectMeasured } from './measure.ts'
export { readStats, type StatsDeps } from './read-stats.ts'
export { runStatsRoutes } from './routes.ts'
