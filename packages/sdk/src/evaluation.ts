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
export { type ExactMatchOptions, exactMatch } from './evaluation/evaluators/exact-match.ts'
export { type JsonMatchOptions, jsonMatch, type MemberComparison } from './evaluation/evaluators/json-match.ts'
export {
  type JudgeMessage,
  type JudgeScale,
  type LlmAsJudgeOptions,
  llmAsJudge,
} from './evaluation/evaluators/llm-as-judge.ts'
export type { ProviderOptions } from './evaluation/evaluators/provider.ts'
export { CONCISENESS_RUBRIC, CORRECTNESS_RUBRIC, GROUNDEDNESS_RUBRIC } from './evaluation/evaluators/rubrics.ts'
export type { KeyedEvaluator, Selection } from './evaluation/evaluators/selection.ts'
export { ExperimentFailedError } from './evaluation/experiment-failed-error.ts'
export { ExperimentResults } from './evaluation/experiment-results.ts'
export type {
  ExperimentFigure,
  FailCondition,
  FailedGate,
  GateFigures,
  KeyFigure,
  Operator,
} from './evaluation/fail-if.ts'
export { findFailures, needsBaseline, parseFailIf } from './evaluation/fail-if.ts'
export { gateFiguresOf } from './evaluation/gate-figures.ts'
export type {
  GradingFunctionParams,
  GradingFunctionResult,
  StringEvaluatorParams,
} from './evaluation/string-evaluator.ts'
export { StringEvaluator } from './evaluation/string-evaluator.ts'
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
