/** `binary` never comes from this server. */
export type SqlDataType =
  | 'uuid'
  | 'string'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'binary'
  | 'list'
  | 'object'
  | 'null'

/** Rows of a SQL statement. Times are ISO 8601 in UTC; floats that are not finite are texts (`inf`, `nan`). */
export interface SqlResult {
  columns: { name: string; data_type: SqlDataType }[]
  /** Values in the order of `columns`. */
  rows: unknown[][]
  row_count: number
  /** Whether the statement has more rows than the answer. */
  is_truncated: boolean
  /** `row_limit`: 1,000 rows; `size_limit`: 10 MB. */
  truncation_reason: 'row_limit' | 'size_limit' | null
  warnings: string[]
  execution_time_ms: number
}
