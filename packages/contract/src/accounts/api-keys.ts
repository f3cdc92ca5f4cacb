import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'
import { Role } from './roles.ts'

/** A key in lists. The secret is stored as a hash and returned only when the key is created. */
export const ApiKey = z.object({
  id: z.string(),
  /** First and last characters, enough to recognize it. */
  short_key: z.string(),
  description: z.string(),
  created_at: z.string(),
  /** Whether its role is `viewer`; older scripts use this field. */
  read_only: z.boolean(),
  /** Never higher than the current role of the person. */
  role: Role,
  /** Id of the person or key that created it; null for the open server and the command line. */
  created_by: z.string().nullable(),
  /** Their name at that time. */
  created_by_name: z.string().nullable(),
  /** The owner: their role limits the key, and the key ends when they leave. Null for a key without an owner. */
  person_id: z.string().nullable(),
  last_used_at: z.string().nullable(),
  expires_at: z.string().nullable(),
})
export type ApiKey = z.infer<typeof ApiKey>

export const ApiKeyCreate = z
  .object({
    description: repairedText(1000).nullish(),
    /** Short for the role `viewer`. */
    read_only: z.boolean().nullish(),
    /** At most the role of the caller. @default the role of the caller */
    role: Role.nullish(),
    /** At most the expiry of the key that creates it. @default that expiry, or none */
    expires_at: Time.nullish(),
  })
  .refine(({ read_only, role }) => !(read_only && role && role !== 'viewer'), {
    path: ['role'],
    message: 'a read-only key is a viewer',
  })
export type ApiKeyCreate = z.infer<typeof ApiKeyCreate>

export const NewApiKey = ApiKey.extend({ key: z.string() })
export type NewApiKey = z.infer<typeof NewApiKey>

export const apiKeyRoutes = describeRoutes(routes.apiKeys, 'api keys', {
  list: {
    summary: 'Keys that are valid',
    answer: z.array(ApiKey),
  },
  create: {
    maxBodyBytes: BODY_LIMITS.credentials,
    summary: 'Create a key of the caller’s role or a lower one; the answer is the only place that shows it',
    body: ApiKeyCreate,
    answer: NewApiKey,
  },
  revoke: {
    summary: 'Revoke a key at once, with the keys and invites that were made with it; members may revoke their own',
    params: z.object({ id: Uuid }),
    answer: ApiKey,
  },
})
