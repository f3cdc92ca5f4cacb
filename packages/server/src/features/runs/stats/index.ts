export { selectRepeated } from '../usage-rows.ts'
export { readErrors } from './errors.ts'
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
export { whereUsageWindow } from './own-usage.ts'
export { readStats, type StatsDeps } from './read-stats.ts'
export { runStatsRoutes } from './routes.ts'
export { USER_OF_RUN } from './series-cells.ts'
