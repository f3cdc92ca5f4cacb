export { exampleStates, examples } from '../../../storage/relational/tables/datasets.ts'
export type { CreateExample, DeleteExample, ExampleChange, UpdateExample } from './change.ts'
export { type Changed, changeAcross, changeExamples, type WriteDeps } from './change-examples.ts'
export { createExamples } from './create-examples.ts'
export { fitExamples } from './fit-examples.ts'
export { withSplits } from './metadata.ts'
export { presentExample } from './present.ts'
export {
  countExamples,
  type ExampleQuery,
  type ExampleRow,
  type FoundExamples,
  findExamples,
  loadExamples,
  readExamples,
} from './read-examples.ts'
export { exampleRoutes } from './routes.ts'
export { selectSplits } from './select-splits.ts'
export type { RunKeys } from './source-runs.ts'
export { newestStates, statesAt } from './states.ts'
export { conditionsOf } from './where.ts'
