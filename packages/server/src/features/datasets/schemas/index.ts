export type { Violation } from './json-schema/check.ts'
export {
  assertSchema,
  assertTransformations,
  type Expectations,
  openPreparer,
  type Payloads,
  type Prepare,
  type Prepared,
  prepareExample,
} from './prepare-example.ts'
export { getPublicSchema } from './public-schemas.ts'
export { toOpenaiMessages } from './transformations/openai-messages.ts'
export type { SourceRun } from './transformations/transformations.ts'
