/** Tokens and costs are those of the runs that used them, counted once; the cost is null where none is known. */
export interface UsageFigures {
  trace_count: number
  run_count: number
  /** Of inputs and outputs, as they came. */
  payload_bytes: number
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  total_cost: string | null
}

export interface UsageReport {
  /** First day, in UTC. */
  since: string
  total: UsageFigures
  /** Every day of the window, in order, those without runs too. */
  days: (UsageFigures & { day: string })[]
  /** Projects with runs in the window, most bytes first. */
  projects: (UsageFigures & { session_id: string; session_name: string })[]
}

/** How full the server's disk is, and with what. Of the whole server, not of one workspace. */
export interface StorageReport {
  disk: {
    /** Bytes that the server may still write, of the disk that holds its data directory. */
    free_bytes: number
    total_bytes: number
    /** Less than 1 GiB is free, or less than 5 % and 20 GiB. Ingest stops when 128 MiB are left. */
    is_low: boolean
  }
  /** Bytes of the relational store; null where it does not tell. */
  relational_bytes: number | null
  /** Bytes of the store of runs; null where it does not tell. */
  analytics_bytes: number | null
  /** Attachments, as the last sweep found them; null before the first. */
  blobs: {
    count: number
    bytes: number
    /** Of them, those that nothing refers to: they wait for the end of their grace period. */
    unreferenced_count: number
    unreferenced_bytes: number
    measured_at: string
  } | null
}

/** What one deletion removed from each store, and whether a query found anything left. */
export interface Deletion {
  id: string
  kind: 'traces' | 'project' | 'dataset' | 'examples' | 'retention' | 'workspace'
  /** What was to be deleted, e.g. `Project "checkout"`. */
  subject: string
  /** Name of the person or key that asked; null for retention, and while the server is open to everybody. */
  requested_by: string | null
  /** `failed`: it stopped half way, and deleting the same again finishes it. */
  status: 'running' | 'done' | 'failed'
  error: string | null
  /** Rows removed from the store of runs. */
  analytics: { runs: number; feedback: number; attachments: number; attachment_bytes: number }
  /** Rows removed from the relational store; `examples` counts their versions, `shares` public links. */
  relational: { examples: number; queue_items: number; shares: number }
  /** What became of the files of its attachments: removed, kept for something else, or waiting for the grace period. */
  blobs: { removed: number; removed_bytes: number; kept: number; waiting: number }
  /** Rows that the verification query found after the deletion; null before it. */
  remaining: number | null
  verified_at: string | null
  /** When the files of the store of runs that held the text had been rewritten without it. */
  erased_at: string | null
  created_at: string
  ended_at: string | null
}

export interface DeletionList {
  deletions: Deletion[]
  total: number
}

/** How many traces of each project began in each part of a window, oldest part first; projects without any are absent. */
export interface ProjectActivity {
  since: string
  bucket_seconds: number
  projects: { session_id: string; trace_counts: number[] }[]
}

/** Days traces are kept after their newest run began; 0 is for ever. */
export interface WorkspaceRetention {
  /** For projects that say nothing themselves; experiments are never meant. */
  days: number
  projects: { session_id: string; days: number }[]
}

export interface ProjectRetention {
  /** What the project says itself; null where the workspace decides. */
  days: number | null
  /** What holds. */
  effective_days: number
  /** Traces whose newest run began before this are removed; null when all are kept. */
  removes_before: string | null
}

/** What a retention would remove if it held now. */
export interface RetentionEstimate {
  days: number
  removes_before: string | null
  trace_count: number
  run_count: number
  /** Old enough, and kept nevertheless: shared with the public, or in an annotation queue. */
  kept_trace_count: number
  project_count: number
}
