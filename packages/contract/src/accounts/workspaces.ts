import { z } from 'zod'
import { Deletion } from '../lifecycle/deletions.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { QueryFlag } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'

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
  /** Of the tracer sessions, those that are experiments. An extension, like the fields below. */
  experiment_count: z.int(),
  /** Keys that were not revoked, also expired ones. */
  api_key_count: z.int(),
  /** Keys under which feedback was given, at most 1,000. */
  feedback_key_count: z.int(),
})
export type WorkspaceStats = z.infer<typeof WorkspaceStats>

/** 1 to 200 characters. */
const WorkspaceName = repairedText(200).trim().min(1)

const Handle = z
  .string()
  .regex(/^[a-z][a-z0-9-_]*$/, 'a handle matches ^[a-z][a-z0-9-_]*$')
  .max(63, 'a handle has at most 63 characters')

export const WorkspaceCreate = z.object({
  display_name: WorkspaceName,
  /** Its public name in addresses of prompts; it can be given later, once. */
  tenant_handle: Handle.nullish(),
})
export type WorkspaceCreate = z.output<typeof WorkspaceCreate>

export const WorkspaceUpdate = z.object({
  display_name: WorkspaceName,
  /** What the change is based on: 409 when the workspace has another name by now. An extension of ours. */
  expected: z.object({ display_name: z.string() }).partial().nullish(),
})
export type WorkspaceUpdate = z.output<typeof WorkspaceUpdate>

const tag = 'workspaces'

export const workspaceRoutes = describeRoutes(routes.workspaces, tag, {
  settings: { summary: 'The caller’s workspace', answer: Settings },
  setHandle: {
    summary: 'Give the workspace its public handle, once: 400 on a change, 409 when another workspace has it',
    body: z.object({
      tenant_handle: Handle,
    }),
    answer: Settings,
  },
  rename: {
    extension: true,
    summary: 'Rename the caller’s workspace',
    body: WorkspaceUpdate,
    answer: Settings,
  },
  create: {
    summary:
      'Create a workspace with an empty project; the person becomes its admin. 403 for keys, which belong to one workspace',
    body: WorkspaceCreate,
    answer: Workspace,
  },
  update: {
    summary: 'Rename a workspace that the caller is an admin of',
    params: z.object({ id: Uuid }),
    body: WorkspaceUpdate,
    answer: Workspace,
  },
  delete: {
    extension: true,
    summary:
      'Delete a workspace with everything in it, at once for callers and within minutes on the disk; for its admins and, signed in, server administrators; 400 for the last one of the server',
    params: z.object({ id: Uuid }),
    status: 202,
    answer: Deletion,
  },
  list: {
    summary: 'Workspaces that the caller belongs to: all of a person, one of a key, every one on an open server',
    answer: z.array(Workspace),
  },
  tenants: {
    summary: 'The same list, as older scripts ask for it',
    answer: z.array(Workspace),
  },
  stats: {
    summary: 'How much the workspace holds',
    answer: WorkspaceStats,
  },
  secrets: {
    summary: 'Names of the secrets of the workspace, never their values; no secrets are kept, so the list is empty',
    query: z.object({ include_configs: QueryFlag.optional() }),
    answer: z.array(z.object({ key: z.string() })),
  },
  organization: {
    summary: 'The organization of the workspace',
    answer: z.object({ id: z.string(), display_name: z.string(), created_at: z.string(), is_personal: z.boolean() }),
  },
  whoAmI: {
    summary: 'Whom the key stands for',
    answer: z.object({
      tenant_id: z.string(),
      organization_id: z.string(),
      user_id: z.string().nullable(),
      ls_user_id: z.string().nullable(),
      user_email: z.string().nullable(),
    }),
  },
})
