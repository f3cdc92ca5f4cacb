/** How a list of runs is looked at: the parameters of its address in the UI, under the same names. */
export interface RunViewState {
  /** Conditions on the listed run, on the root of its trace, on any run of its trace, in the filter language. */
  filter?: string | undefined
  traceFilter?: string | undefined
  treeFilter?: string | undefined
  /** `24h`, `3d`, `all` or `from..to`. */
  t?: string | undefined
  scope?: string | undefined
  /** Columns in order, separated by commas. */
  cols?: string | undefined
  sort?: string | undefined
}

/** A named way to look at runs, of everybody in the workspace or of one alone. */
export interface SavedView {
  id: string
  name: string
  /** The project that it belongs to; null when every project offers it. */
  session_id: string | null
  state: RunViewState
  /** Whether only whoever saved it sees it. */
  is_personal: boolean
  created_at: string
  modified_at: string
}
