export { compileFilter } from './compile.ts'
export type { FeedbackWindow } from './context.ts'
export { toFilterConditions } from './query-conditions.ts'
export { column, compareScalar, type Scalar, TYPES } from './scalars.ts'
