import { z } from 'zod'
import { Uuid } from './ids.ts'
import { clamped } from './page.ts'
import { route } from './route.ts'
import { Time } from './time.ts'

/** What was recorded; tokens and costs are those of the runs that used them, counted once, cost null where none is known. */
const figures = {
  trace_count: z.int(),
  run_count: z.int(),
  /** Of inputs and outputs, as they came. */
  payload_bytes: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  total_cost: z.string().nullable(),
}

export const UsageFigures = z.object(figures)
export type UsageFigures = z.infer<typeof UsageFigures>

export const UsageReport = z.object({
  /** First day, in UTC. */
  since: z.string(),
  total: UsageFigures,
  /** Every day of the window, in order, those without runs too. */
  days: z.array(z.object({ day: z.string(), ...figures })),
  /** Projects with runs in the window, most bytes first. */
  projects: z.array(z.object({ session_id: z.string(), session_name: z.string(), ...figures })),
})
export type UsageReport = z.infer<typeof UsageReport>

/** How many traces of each project began in each part of a window, oldest part first; projects without any are absent. */
export const ProjectActivity = z.object({
  since: z.string(),
  bucket_seconds: z.number(),
  projects: z.array(z.object({ session_id: z.string(), trace_counts: z.array(z.int()) })),
})
export type ProjectActivity = z.infer<typeof ProjectActivity>

export const usageRoutes = {
  read: route({
    method: 'GET',
    path: '/workspaces/current/usage',
    extension: true,
    tag: 'workspaces',
    summary: 'What was recorded in the last days (UTC, today included), by day and by project',
    query: z.object({
      days: clamped(1, 366, 30),
      /** Only this project. */
      session: Uuid.optional(),
    }),
    answer: UsageReport,
  }),
  activity: route({
    method: 'GET',
    path: '/workspaces/current/activity',
    extension: true,
    tag: 'workspaces',
    summary: 'Traces over time of every project, from then until now',
    query: z.object({ since: Time, buckets: clamped(1, 100, 24) }),
    answer: ProjectActivity,
  }),
}
