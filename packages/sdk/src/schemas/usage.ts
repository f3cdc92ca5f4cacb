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
