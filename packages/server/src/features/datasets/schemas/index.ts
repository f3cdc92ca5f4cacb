export { checkSchema, checkTransformations } from './check-expectations.ts'
export type { Violation } from './json-schema/problem.ts'
export {
  type Expectations,
  openPreparer,
  type Payloads,
  type Prepare,
  type Prepared,
  prepareExample,
} from './prepare-example.ts'
export { findPublicSchema } from './public-schemas.ts'
export type { SourceRun } from './transformations/apply.ts'
export { toOpenaiMessages } from './transformations/openai-messages.ts'
