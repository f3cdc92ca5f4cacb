import { z } from 'zod'
import * as routes from '../routes.ts'
import { describeRoutes } from '../wire/route.ts'

export const QueryVerdict = z.object({
  valid: z.boolean(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
})
export type QueryVerdict = z.infer<typeof QueryVerdict>

/** Calls around queries that the public web pages make. */
export const queryToolRoutes = describeRoutes(routes.queryTools, 'runs', {
  validate: {
    summary: 'Say what is wrong with a query, without running it',
    body: z.unknown(),
    answer: QueryVerdict,
  },
  generate: {
    summary: 'A filter for words: full-text search',
    body: z.object({ query: z.string(), feedback_keys: z.array(z.string()).nullish() }),
    answer: z.object({ filter: z.string(), feedback_urls: z.record(z.string(), z.string()) }),
  },
})
