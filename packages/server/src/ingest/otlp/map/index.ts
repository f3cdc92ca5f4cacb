export { findAggregates, type RunWithUsage, toAggregate } from './aggregates.ts'
export { mapSpan } from './map-span.ts'
