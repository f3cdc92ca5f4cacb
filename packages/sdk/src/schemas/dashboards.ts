export type DashboardMetric =
  | 'runs'
  | 'error_rate'
  | 'latency'
  | 'first_token'
  | 'tokens'
  | 'cost'
  | 'feedback'
  | 'errors'

/** One chart of a dashboard: a metric of the runs that match, by group if wanted. */
export interface DashboardChart {
  /** Unique in its dashboard; chosen by whoever adds the chart. */
  id: string
  /** Absent: named by what it shows. */
  title?: string | null | undefined
  metric: DashboardMetric
  /** Whose mean `feedback` shows. */
  feedback_key?: string | null | undefined
  /** Of root runs, or of every run. @default traces */
  scope?: 'traces' | 'runs' | undefined
  /** In the filter language. */
  filter?: string | null | undefined
  group_by?:
    | { attribute: 'name' | 'run_type' | 'status' | 'model' | 'tag' | 'metadata'; path?: string | null | undefined }
    | null
    | undefined
  /** @default line */
  kind?: 'line' | 'bar' | 'table' | undefined
  /** One, two or all columns of the page. @default small */
  size?: 'small' | 'wide' | 'full' | undefined
}

/** A page of charts in their order, of one project or of the whole workspace. */
export interface Dashboard {
  id: string
  tenant_id: string
  /** Null: of the workspace, offered in every project. */
  session_id: string | null
  name: string
  charts: DashboardChart[]
  created_at: string
  modified_at: string
}
