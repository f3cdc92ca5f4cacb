import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText } from '../wire/text.ts'

/** Characters of a value that are sent. A longer value is marked as truncated. */
export const RUN_VALUE_CHARS = 500

/** Where a value stands: a payload, then keys and positions (from 0). */
export const RunValuePath = z.tuple(
  [z.enum(['inputs', 'outputs', 'extra'])],
  z.union([identifierText(), z.int().min(0)]),
)
export type RunValuePath = z.infer<typeof RunValuePath>

export const RunValuesQuery = z.object({
  id: z.array(Uuid).min(1).max(100),
  paths: z.array(RunValuePath).max(20),
})
export type RunValuesQuery = z.output<typeof RunValuesQuery>

/** A string as it is, anything else as JSON text. */
export const RunValue = z.object({ text: z.string(), is_cut: z.boolean() })
export type RunValue = z.infer<typeof RunValue>

/** Values in the order of `paths`; null where there is nothing. Runs that are not there are left out. */
export const RunValues = z.object({ runs: z.array(z.object({ id: z.string(), values: z.array(RunValue.nullable()) })) })
export type RunValues = z.infer<typeof RunValues>

export const runValueRoutes = describeRoutes(routes.runValues, 'runs', {
  query: {
    extension: true,
    summary: 'Single values out of the payloads of some runs, for columns of a table',
    body: RunValuesQuery,
    answer: RunValues,
  },
})
