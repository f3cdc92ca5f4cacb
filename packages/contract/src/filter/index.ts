export { type Clause as FilterClause, parseClauses, printClauses } from './clauses.ts'
export { type EntryFamily, findEntryFamily, isKeyClause, isNegative, toPositive } from './desugar.ts'
export { FilterError } from './error.ts'
export {
  EXAMPLE_FILTERS,
  type Field as FilterField,
  type Fields as FilterFields,
  type FieldType as FilterFieldType,
  type FilterSurface,
  fieldOf,
  RUN_FILTER_FIELDS,
  RUN_FILTERS,
} from './fields.ts'
export { FILTER_LIMITS, type FilterLimits, PUBLIC_FILTER_LIMITS } from './limits.ts'
export { FILTER_OPERATORS, type Operator as FilterOperator } from './operators.ts'
export { parseFilter } from './parse.ts'
export { printFilter } from './print.ts'
export * from './tree.ts'
export { isLongInteger } from './values.ts'
