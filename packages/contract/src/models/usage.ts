import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'

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
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.string().nullable(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable(),
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

const modelFigures = {
  /** Runs that report tokens or a cost. */
  run_count: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  /** Decimal text; null when no run has a known price. */
  total_cost: z.string().nullable(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.string().nullable(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable(),
  /** Runs with tokens whose cost is not known: `total_cost` is without them. */
  unpriced_run_count: z.int(),
}

export const ModelUsage = z.object({
  /** Null for runs that name no model. */
  model: z.string().nullable(),
  provider: z.string().nullable(),
  ...modelFigures,
  /** Every project that used the model in the window, most tokens first. The list is not cut. */
  projects: z.array(z.object({ session_id: z.string(), session_name: z.string(), ...modelFigures })),
})
export type ModelUsage = z.infer<typeof ModelUsage>

export const ModelUsageReport = z.object({
  /** First day, in UTC. */
  since: z.string(),
  /** The highest cost first, then most tokens. */
  models: z.array(ModelUsage),
})
export type ModelUsageReport = z.infer<typeof ModelUsageReport>

/**
 * How many traces of each project began in each part of a window, and how many of them failed; oldest part first. Projects
 * without any are absent.
 */
export const ProjectActivity = z.object({
  since: z.string(),
  bucket_seconds: z.number(),
  projects: z.array(
    z.object({ session_id: z.string(), trace_counts: z.array(z.int()), error_counts: z.array(z.int()) }),
  ),
})
export type ProjectActivity = z.infer<typeof ProjectActivity>

/** How full the server's disk is, and with what. Of the whole server, not of one workspace. */
export const StorageReport = z.object({
  disk: z.object({
    /** Bytes that the server may still write, of the disk that holds its data directory. */
    free_bytes: z.int(),
    total_bytes: z.int(),
    /** Less than 1 GiB is free, or less than 5 % and 20 GiB. Ingest stops when 128 MiB are left. */
    is_low: z.boolean(),
  }),
  /** Bytes of the relational store; null where it does not tell. */
  relational_bytes: z.int().nullable(),
  /** Bytes of the store of runs, with files that are replaced and not yet removed; null where it does not tell. */
  analytics_bytes: z.int().nullable(),
  /** Attachments, as the last sweep found them; null before the first. */
  blobs: z
    .object({
      count: z.int(),
      bytes: z.int(),
      /** Of them, those that nothing refers to: they wait for the end of their grace period. */
      unreferenced_count: z.int(),
      unreferenced_bytes: z.int(),
      /** When the sweep ended. */
      measured_at: z.string(),
    })
    .nullable(),
})
export type StorageReport = z.infer<typeof StorageReport>

export const usageRoutes = describeRoutes(routes.usage, 'workspaces', {
  read: {
    extension: true,
    summary: 'What was recorded in the last days (UTC, today included), by day and by project',
    query: z.object({
      days: clamped(1, 366, 30),
      /** Only this project. */
      session: Uuid.optional(),
    }),
    answer: UsageReport,
  },
  models: {
    extension: true,
    summary: 'Tokens and costs of the last days (UTC, today included), by model and project',
    query: z.object({
      days: clamped(1, 366, 30),
      /** Only this project. */
      session: Uuid.optional(),
    }),
    answer: ModelUsageReport,
  },
  storage: {
    extension: true,
    summary: 'Free disk space of the server and the size of each of its stores',
    answer: StorageReport,
  },
  activity: {
    extension: true,
    summary: 'Traces and failed traces over time of every project, from then until now',
    query: z.object({ since: Time, buckets: clamped(1, 100, 24) }),
    answer: ProjectActivity,
  },
})
