export { evaluate, type TargetT } from './evaluation/evaluate.ts'
export type {
  ComparativeEvaluateOptions,
  ComparativeEvaluator,
  ComparativeEvaluatorArgs,
  ComparativeTargetT,
  ComparisonEvaluationResult,
  ComparisonEvaluationResults,
} from './evaluation/evaluate-comparative.ts'
export { evaluateComparative } from './evaluation/evaluate-comparative.ts'
export { type EditDistanceOptions, editDistance } from './evaluation/evaluators/edit-distance.ts'
export { type EmbeddingDistanceOptions, embeddingDistance } from './evaluation/evaluators/embedding-distance.ts'
export {
  CONCISENESS_RUBRIC,
  CORRECTNESS_RUBRIC,
  GROUNDEDNESS_RUBRIC,
  type JudgeMessage,
  type JudgeScale,
  type LlmAsJudgeOptions,
  llmAsJudge,
} from './evaluation/evaluators/llm-as-judge.ts'
export {
  type ExactMatchOptions,
  exactMatch,
  type JsonMatchOptions,
  jsonMatch,
  type MemberComparison,
} from './evaluation/evaluators/match.ts'
export type { ProviderOptions } from './evaluation/evaluators/provider.ts'
export type { KeyedEvaluator, Selection } from './evaluation/evaluators/selection.ts'
export { ExperimentFailedError, ExperimentResults } from './evaluation/experiment-results.ts'
export type {
  ExperimentFigure,
  FailCondition,
  FailedGate,
  GateFigures,
  KeyFigure,
  Operator,
} from './evaluation/fail-if.ts'
export { findFailures, needsBaseline, parseFailIf } from './evaluation/fail-if.ts'
export type {
  GradingFunctionParams,
  GradingFunctionResult,
  StringEvaluatorParams,
} from './evaluation/string-evaluator.ts'
export { StringEvaluator } from './evaluation/string-evaluator.ts'
export { gateFiguresOf } from './evaluation/threshold.ts'
export type {
  DataT,
  EvaluateOptions,
  EvaluationResult,
  EvaluationResults,
  EvaluatorArgs,
  EvaluatorResult,
  EvaluatorT,
  ExperimentResultRow,
  RowError,
  RunEvaluator,
  StandardTargetT,
  SummaryEvaluatorArgs,
  SummaryEvaluatorT,
  TargetConfigT,
  UploadRuns,
} from './evaluation/types.ts'
