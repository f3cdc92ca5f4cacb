import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'

/** The longest retention that can be set, in days: a century. */
export const MAX_RETENTION_DAYS = 36_500

/** Days that a trace is kept after the start of its newest run; 0 keeps it forever. */
const Days = z.int().min(0).max(MAX_RETENTION_DAYS)

/** What a workspace keeps, and which of its projects say otherwise. */
export const WorkspaceRetention = z.object({
  /** For projects that say nothing themselves; experiments are never meant. */
  days: z.int(),
  projects: z.array(z.object({ session_id: z.string(), days: z.int() })),
})
export type WorkspaceRetention = z.infer<typeof WorkspaceRetention>

export const ProjectRetention = z.object({
  /** The setting of the project; null when the setting of the workspace applies. */
  days: z.int().nullable(),
  /** What holds. */
  effective_days: z.int(),
  /** Traces whose newest run began before this are removed; null when all are kept. */
  removes_before: z.string().nullable(),
})
export type ProjectRetention = z.infer<typeof ProjectRetention>

/** What a retention would remove if it held now. */
export const RetentionEstimate = z.object({
  days: z.int(),
  removes_before: z.string().nullable(),
  trace_count: z.int(),
  run_count: z.int(),
  /** Old enough, and kept nevertheless: shared with the public, or in an annotation queue. */
  kept_trace_count: z.int(),
  /** How many projects it was counted over. */
  project_count: z.int(),
})
export type RetentionEstimate = z.infer<typeof RetentionEstimate>

const tag = 'retention'
const ofProject = z.object({ session_id: Uuid })
const asked = z.object({ days: z.coerce.number().pipe(Days) })

export const retentionRoutes = describeRoutes(routes.retention, tag, {
  readWorkspace: {
    extension: true,
    summary: 'Retention of traces: the default and the projects that differ',
    answer: WorkspaceRetention,
  },
  setWorkspace: {
    extension: true,
    summary: 'Set how long traces are kept by default; what is older goes from now on',
    body: z.object({ days: Days }),
    answer: WorkspaceRetention,
  },
  estimateWorkspace: {
    extension: true,
    summary: 'What such a default would remove now',
    query: asked,
    answer: RetentionEstimate,
  },
  readProject: {
    extension: true,
    summary: 'How long the traces of a project are kept',
    params: ofProject,
    answer: ProjectRetention,
  },
  setProject: {
    extension: true,
    summary:
      'Set the retention of a project; null applies the setting of the workspace. Older traces are deleted from now on',
    params: ofProject,
    body: z.object({ days: Days.nullable() }),
    answer: ProjectRetention,
  },
  estimateProject: {
    extension: true,
    summary: 'What such a retention would remove from a project now',
    params: ofProject,
    query: asked,
    answer: RetentionEstimate,
  },
})
