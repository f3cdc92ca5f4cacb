export type { EvaluatorRow } from './judge.ts'
export { savedEvaluatorRoutes } from './routes.ts'
export { type EvaluatorResult, openEvaluators, type RunEvaluatorDeps, runEvaluator } from './run-evaluator.ts'
export { JavascriptSandbox } from './sandbox/javascript-sandbox.ts'
