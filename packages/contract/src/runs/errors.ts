import { z } from 'zod'
import * as routes from '../routes.ts'
import { clamped } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { RunConditions } from './runs.ts'

export const RunErrorsQuery = RunConditions.extend({
  /** Groups in the answer, those with the most runs first. */
  limit: clamped(1, 200, 20),
})
export type RunErrorsQuery = z.output<typeof RunErrorsQuery>

/** Failed runs whose errors have the same type and message, apart from ids and numbers. */
export const RunErrorGroup = z.object({
  /** Type and message; `#` replaces each id and number except HTTP statuses. At most 300 characters. */
  message: z.string(),
  run_count: z.int(),
  trace_count: z.int(),
  /** Start of the first and of the last run of the group in the queried range. */
  first_seen: z.string(),
  last_seen: z.string(),
  /** The filter that finds the runs of the group. */
  query: z.string(),
  /** The run that was started last. */
  latest: z.object({ id: z.uuid(), trace_id: z.uuid(), session_id: z.uuid(), name: z.string(), error: z.string() }),
})
export type RunErrorGroup = z.infer<typeof RunErrorGroup>

/** `total` counts all groups of the query. Failed runs without a message are in no group. */
export const RunErrors = z.object({ total: z.int(), groups: z.array(RunErrorGroup) })
export type RunErrors = z.infer<typeof RunErrors>

export const runErrorRoutes = describeRoutes(routes.runErrors, 'runs', {
  query: {
    extension: true,
    summary:
      'Errors of the runs of a query by type and message, with their count and when they were first and last seen',
    body: RunErrorsQuery,
    answer: RunErrors,
  },
})
