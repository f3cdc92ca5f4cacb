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

/** What `processOutputs` sees: a plain object as it is, anything else as `{ outputs }`. */
export type ProcessOutputs<Result> = Result extends Record<string, unknown> ? Result : { outputs: Result }
