import { z } from 'zod'
import { route } from './route.ts'

/** The caller's workspace as prompt calls need it. */
export const Settings = z.object({
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
  tenant_handle: z.string().nullable(),
})
export type Settings = z.infer<typeof Settings>

export const Workspace = z.object({
  id: z.string(),
  organization_id: z.string(),
  created_at: z.string(),
  display_name: z.string(),
  is_personal: z.boolean(),
  is_deleted: z.boolean(),
  tenant_handle: z.string().nullable(),
  data_plane_url: z.null(),
  read_only: z.boolean(),
  role_id: z.null(),
  role_name: z.string(),
  permissions: z.array(z.string()),
})
export type Workspace = z.infer<typeof Workspace>

export const WorkspaceStats = z.object({
  tenant_id: z.string(),
  dataset_count: z.int(),
  tracer_session_count: z.int(),
  repo_count: z.int(),
  annotation_queue_count: z.int(),
  deployment_count: z.int(),
  dashboards_count: z.int(),
  evaluator_count: z.int(),
})

const tag = 'workspaces'

export const workspaceRoutes = {
  settings: route({ method: 'GET', path: '/settings', tag, summary: 'The caller’s workspace', answer: Settings }),
  setHandle: route({
    method: 'POST',
    path: '/settings/handle',
    access: 'admin',
    tag,
    summary: 'Give the workspace its public handle, once: 400 on a change, 409 when another workspace has it',
    body: z.object({
      tenant_handle: z
        .string()
        .regex(/^[a-z][a-z0-9-_]*$/, 'a handle matches ^[a-z][a-z0-9-_]*$')
        .max(63, 'a handle has at most 63 characters'),
    }),
    answer: Settings,
  }),
  rename: route({
    method: 'PATCH',
    path: '/workspaces/current',
    access: 'admin',
    extension: true,
    tag,
    summary: 'Rename the caller’s workspace',
    body: z.object({ display_name: z.string().trim().min(1).max(200) }),
    answer: Settings,
  }),
  list: route({
    method: 'GET',
    path: '/workspaces',
    tag,
    summary: 'Workspaces of the caller',
    answer: z.array(Workspace),
  }),
  tenants: route({
    method: 'GET',
    path: '/tenants',
    tag,
    summary: 'The same list, as older scripts ask for it',
    answer: z.array(Workspace),
  }),
  stats: route({
    method: 'GET',
    path: '/workspaces/current/stats',
    tag,
    summary: 'How much the workspace holds',
    answer: WorkspaceStats,
  }),
  organization: route({
    method: 'GET',
    path: '/orgs/current',
    tag,
    summary: 'The organisation of the workspace',
    answer: z.object({ id: z.string(), display_name: z.string(), created_at: z.string(), is_personal: z.boolean() }),
  }),
  whoAmI: route({
    method: 'GET',
    path: '/auth/public',
    tag,
    summary: 'Whom the key stands for',
    answer: z.object({
      tenant_id: z.string(),
      organization_id: z.string(),
      user_id: z.string().nullable(),
      ls_user_id: z.string().nullable(),
      user_email: z.string().nullable(),
    }),
  }),
}
