export { getExperiments } from './get-experiments.ts'
export { type KeyScores, listScoredKeys, readScores, type ScoreCells, type ScoresWanted } from './read-scores.ts'
export { experimentRoutes } from './routes.ts'
