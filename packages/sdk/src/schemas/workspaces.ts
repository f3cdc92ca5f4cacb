import type { Role } from '../schemas.ts'

export interface ServerInfo {
  version: string
  git_sha: string | null
  license_expiration_time: string | null
  customer_info: unknown
  batch_ingest_config: {
    use_multipart_endpoint: boolean
    size_limit: number
    size_limit_bytes: number
    scale_up_qsize_trigger: number
    scale_up_nthreads_limit: number
    scale_down_nempty_trigger: number
  }
  instance_flags: Record<string, boolean | number | string>
}

/** The caller's workspace. */
export interface WorkspaceSettings {
  id: string
  display_name: string
  created_at: string
  tenant_handle: string | null
}

export interface Workspace {
  id: string
  organization_id: string
  created_at: string
  display_name: string
  is_personal: boolean
  is_deleted: boolean
  tenant_handle: string | null
  data_plane_url: string | null
  read_only: boolean
  role_id: string | null
  role_name: string
  permissions: string[]
}

export interface ApiKey {
  id: string
  /** First and last characters, enough to recognise it. */
  short_key: string
  description: string
  created_at: string
  /** Whether its role is `viewer`. */
  read_only: boolean
  role: Role
  /** Id of the person or key that made it. */
  created_by: string | null
  created_by_name: string | null
  /** The person whose key it is: their role bounds it, and it ends when they leave. Null for a key that nobody owns. */
  person_id: string | null
  last_used_at: string | null
  expires_at: string | null
}

/** The only answer that shows the secret. */
export interface NewApiKey extends ApiKey {
  key: string
}
