/** `viewer` reads, `member` also writes, `admin` also decides who else may. */
export type Role = 'viewer' | 'member' | 'admin'

/** Whom a client speaks for: a person who signed in, a key, or, on an open server, whoever is at that machine. */
export interface Me {
  kind: 'person' | 'key' | 'local'
  id: string | null
  name: string | null
  email: string | null
  /** In the workspace `tenant_id`. */
  role: Role
  /** Whether this caller may do what concerns the whole server, such as backups of all workspaces. */
  is_server_admin: boolean
  tenant_id: string
}

/** A person who administers the server. */
export interface ServerAdmin {
  id: string
  email: string
  name: string
}

/** What somebody at the door of a server may do. */
export interface AuthState {
  /** Everybody at that machine is let in. */
  is_open: boolean
  /** There are neither people nor keys yet. */
  can_set_up: boolean
  needs_setup_code: boolean
  has_people: boolean
}

/** Where somebody signed in and did not sign out again. */
export interface SignIn {
  id: string
  user_agent: string | null
  created_at: string
  last_used_at: string
  expires_at: string
  /** Whether this client came by it. */
  is_current: boolean
}

export interface SetUpDone {
  me: Me
  project_id: string
  /** A key for programs; shown here and nowhere else. */
  key: string
}

/** A person of the workspace. */
export interface Member {
  id: string
  email: string
  name: string
  role: Role
  created_at: string
  /** To the minute. */
  last_seen_at: string | null
  /** Valid keys that belong to them: made by them, or with one of their keys. */
  key_count: number
  /** Invites that still work and were made by them, or with one of their keys. */
  invite_count: number
}

/** A link that makes one person a member, once. */
export interface Invite {
  id: string
  role: Role
  /** The only address that may use it; null for any. */
  email: string | null
  created_by_name: string | null
  created_at: string
  expires_at: string
}

/** The only answer that shows the token; the link is `{origin}/invite/{token}`. */
export interface NewInvite extends Invite {
  token: string
}

/** What an invite says to whoever holds it. */
export interface InviteView {
  workspace_name: string
  role: Role
  email: string | null
  expires_at: string
}
