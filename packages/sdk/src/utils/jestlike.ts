export { isInTestContext, logFeedback, logOutputs } from '../testing/context.ts'
export { wrapEvaluator } from '../testing/expect.ts'
export type * from '../testing/types.ts'
export { generateWrapperFromJestlikeMethods } from '../testing/wrap.ts'
