import { z } from 'zod'
import { route } from './route.ts'

export const QueryVerdict = z.object({
  valid: z.boolean(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
})
export type QueryVerdict = z.infer<typeof QueryVerdict>

/** Calls around queries that the public web pages make. */
export const queryToolRoutes = {
  validate: route({
    method: 'POST',
    path: '/runs/query/validate',
    tag: 'runs',
    summary: 'Say what is wrong with a query, without running it',
    body: z.unknown(),
    answer: QueryVerdict,
  }),
  generate: route({
    method: 'POST',
    path: '/runs/generate-query',
    tag: 'runs',
    summary: 'A filter for words: full-text search',
    body: z.object({ query: z.string(), feedback_keys: z.array(z.string()).nullish() }),
    answer: z.object({ filter: z.string(), feedback_urls: z.record(z.string(), z.string()) }),
  }),
  rules: route({
    method: 'GET',
    path: '/runs/rules',
    tag: 'runs',
    summary: 'Automation rules; there are none',
    answer: z.array(z.unknown()),
  }),
}
