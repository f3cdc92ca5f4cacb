export { omitPrivateSelects, presentSelectedRun, SELECT_FIELDS, toRunFields, toRunSelects } from './fields.ts'
export {
  getRunUrl,
  listTraceRuns,
  presentItems,
  printNextCursor,
  queryRuns,
  queryTraces,
  readRun,
} from './query-runs.ts'
export { assertNoSemanticSearch, oneDayAgo } from './request-rules.ts'
