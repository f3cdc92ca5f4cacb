import { z } from 'zod'
import { Uuid } from './ids.ts'
import { route } from './route.ts'
import { Time } from './time.ts'

/** A key as lists show it; the secret itself is never stored and shown once, on creation. */
export const ApiKey = z.object({
  id: z.string(),
  /** First and last characters, enough to recognise it. */
  short_key: z.string(),
  description: z.string(),
  created_at: z.string(),
  read_only: z.boolean(),
  last_used_at: z.string().nullable(),
  expires_at: z.string().nullable(),
})
export type ApiKey = z.infer<typeof ApiKey>

export const ApiKeyCreate = z.object({
  description: z.string().max(1000).nullish(),
  read_only: z.boolean().nullish(),
  expires_at: Time.nullish(),
})

export const NewApiKey = ApiKey.extend({ key: z.string() })
export type NewApiKey = z.infer<typeof NewApiKey>

export const apiKeyRoutes = {
  list: route({
    method: 'GET',
    path: '/api-key',
    tag: 'api keys',
    summary: 'Keys that are valid',
    answer: z.array(ApiKey),
  }),
  create: route({
    method: 'POST',
    path: '/api-key',
    access: 'write',
    tag: 'api keys',
    summary: 'Create a key; the answer is the only place that shows it',
    body: ApiKeyCreate,
    answer: NewApiKey,
  }),
  revoke: route({
    method: 'DELETE',
    path: '/api-key/{id}',
    access: 'write',
    tag: 'api keys',
    summary: 'Revoke a key at once',
    params: z.object({ id: Uuid }),
    answer: ApiKey,
  }),
}
