export { exampleStates, examples } from '../../../storage/relational/tables/datasets.ts'
export { changeExamples, changeExamplesAcross, type ExamplesChange, type WriteDeps } from './change-examples.ts'
export { createExamples } from './create-examples.ts'
export type { CreateExample, DeleteExample, ExampleChange, UpdateExample } from './example-content.ts'
export { withSplits } from './example-content.ts'
export type { RunKeys } from './example-drafts.ts'
export {
  countExamples,
  type ExampleQuery,
  type ExampleRow,
  type FoundExamples,
  findExamples,
  loadExamples,
  presentExample,
  readExamples,
} from './read-examples.ts'
export { exampleRoutes } from './routes.ts'
export { isInNewestVersion, isInVersion, OffsetCache, selectSplits, toConditions } from './select-examples.ts'
export { alignExamples } from './update-examples.ts'
export { selectDifferent } from './write-states.ts'
