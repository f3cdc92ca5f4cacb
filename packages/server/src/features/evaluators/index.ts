export { estimateEvaluator, estimateWith, type JudgeEstimate } from './estimate-judge.ts'
export {
  createSavedEvaluator,
  createVersion,
  deleteSavedEvaluator,
  listKeys,
  type NewestVersion,
  selectNewestVersions,
  updateSavedEvaluator,
} from './evaluators.ts'
export type { EvaluatorRow } from './judge.ts'
export {
  type EvaluatorReference,
  findEvaluator,
  judgeRow,
  judgeWith,
  type LoadedEvaluator,
  loadEvaluator,
} from './judge-row.ts'
export { readRunRows } from './read-rows.ts'
export { MAX_STEP_CHARACTERS, readSteps, readTurns } from './read-steps.ts'
export { recordFeedback, toFeedback } from './record-scores.ts'
export { savedEvaluatorRoutes } from './routes.ts'
export { isOverLimit, type RunEvaluatorDeps, runEvaluator } from './run-evaluator.ts'
export { JavascriptSandbox } from './sandbox/javascript-sandbox.ts'
