/** A run that anyone who holds the token may read, with everything below it. */
export interface RunShare {
  run_id: string
  share_token: string
}

/** One thing of the workspace that is open to the public. */
export type SharedEntity = SharedRunEntity | SharedDatasetEntity | SharedThreadEntity

export interface SharedDatasetEntity {
  type: 'dataset'
  share_token: string
  created_at: string
  dataset_id: string
  dataset_name: string
  /** Whether its experiments are open too. */
  shares_projects: boolean
}

export interface SharedThreadEntity {
  type: 'thread'
  share_token: string
  created_at: string
  thread_id: string
  session_id: string
  session_name: string
}

export interface SharedRunEntity {
  type: 'run'
  share_token: string
  created_at: string
  run_id: string
  run_name: string
  run_type: string
  session_id: string
  session_name: string
}
