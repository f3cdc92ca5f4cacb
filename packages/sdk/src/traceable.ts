export { getCurrentRunTree, isTracingEnabled, withRunTree } from './tracing/context.ts'
export { isTraceableFunction, traceable } from './tracing/traceable/traceable.ts'
export type {
  Inputs,
  Inputs as ProcessInputs,
  RunTreeLike,
  TraceableConfig,
  TraceableFunction,
  Traced,
} from './tracing/traceable/types.ts'
export { ROOT } from './tracing/traceable/types.ts'

/** Argument of `processOutputs`: a plain object unchanged, any other value as `{ outputs }`. */
export type ProcessOutputs<Result> = Result extends Record<string, unknown> ? Result : { outputs: Result }
