export {
  AsyncLocalStorageProviderSingleton,
  getCurrentRunTree,
  isTracingEnabled,
  withRunTree,
} from '../tracing/context.ts'
export { isTraceableFunction } from '../tracing/traceable/traceable.ts'
export { ROOT } from '../tracing/traceable/types.ts'
