import type { Role, Settings, Workspace } from '@touchstone/contract'
import type { WorkspaceRow } from '../../../storage/relational/tables/accounts.ts'

export function presentSettings(row: WorkspaceRow): Settings {
  return {
    id: row.id,
    display_name: row.display_name,
    created_at: row.created_at,
    tenant_handle: row.tenant_handle,
  }
}

export function presentWorkspace(row: WorkspaceRow, role: Role): Workspace {
  return {
    id: row.id,
    organization_id: row.organization_id,
    created_at: row.created_at,
    display_name: row.display_name,
    is_personal: false,
    is_deleted: false,
    tenant_handle: row.tenant_handle,
    data_plane_url: null,
    read_only: false,
    role_id: null,
    role_name: ROLE_NAMES[role],
    permissions: [],
  }
}

const ROLE_NAMES: Record<Role, string> = { viewer: 'Viewer', member: 'Member', admin: 'Admin' }
