export type {
  ExperimentFigure,
  FailCondition,
  FailedGate,
  GateFigures,
  KeyFigure,
  Operator,
} from './evaluation/fail-if.ts'
export { findFailures, needsBaseline, parseFailIf } from './evaluation/fail-if.ts'
