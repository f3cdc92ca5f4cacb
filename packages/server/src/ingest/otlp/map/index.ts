export {
  CLIENTS,
  findAggregates,
  hasTokens,
  isNameOfClient,
  MAX_LEVELS,
  type RunTokens,
  readRunTokens,
  toAggregate,
} from './aggregates.ts'
export { MAX_SLOTS } from './attributes.ts'
export { KNOWN_NAMESPACES, MAX_CUSTOM, MAX_CUSTOM_LENGTH } from './custom-attributes.ts'
export { FEEDBACK_SOURCES, FIRST_TOKEN_EVENTS, FIRST_TOKEN_SOURCES, FIRST_TOKEN_TIMES } from './events.ts'
export { FIELD_SOURCES, INVOCATION_PREFIXES, METADATA_PREFIXES, NAME_SOURCES } from './fields.ts'
export { mapSpan } from './map-span.ts'
export { INPUT_SOURCES, OUTPUT_SOURCES } from './payloads.ts'
export { AGGREGATE_OPERATIONS, HAYSTACK_TYPES, LIVEKIT_NAMES, RUN_TYPE_MARKS, RUN_TYPE_SOURCES } from './run-type.ts'
