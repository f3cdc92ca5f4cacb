export {
  omitPrivateSelects,
  presentSelectedRun,
  SELECT_FIELDS,
  toLatencySeconds,
  toRunFields,
  toRunSelects,
} from './fields.ts'
export {
  assertNoSemanticSearch,
  getRunUrl,
  listTraceRuns,
  oneDayAgo,
  presentItems,
  printNextCursor,
  queryRuns,
  queryTraces,
  readRun,
} from './query-runs.ts'
