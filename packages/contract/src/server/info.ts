import { z } from 'zod'
import * as routes from '../routes.ts'
import { describeRoutes } from '../wire/route.ts'

/** What a client may learn before it has a key; the public clients tune their senders by it. */
export const ServerInfo = z.object({
  version: z.string(),
  git_sha: z.string().nullable(),
  license_expiration_time: z.string().nullable(),
  customer_info: z.null(),
  batch_ingest_config: z.object({
    use_multipart_endpoint: z.boolean(),
    /** Operations per batch. */
    size_limit: z.int(),
    size_limit_bytes: z.int(),
    scale_up_qsize_trigger: z.int(),
    scale_up_nthreads_limit: z.int(),
    scale_down_nempty_trigger: z.int(),
  }),
  instance_flags: z.record(z.string(), z.union([z.boolean(), z.number(), z.string()])),
})
export type ServerInfo = z.infer<typeof ServerInfo>

export const infoRoutes = describeRoutes(routes.info, 'server', {
  read: {
    summary: 'Version, limits and abilities of this server',
    answer: ServerInfo,
  },
  health: {
    summary: 'Free disk space of the column store, in percent',
    answer: z.object({ clickhouse_disk_free_pct: z.number() }),
  },
  ok: {
    summary: 'Answers while the server can take requests',
    answer: z.object({ ok: z.literal(true) }),
  },
  ready: {
    extension: true,
    summary: 'Answers 200 while both stores answer; otherwise 503 names the one that does not',
    answer: z.object({ ready: z.literal(true) }),
  },
})

export const monitoringRoutes = describeRoutes(routes.monitoring, 'server', {
  metrics: {
    extension: true,
    summary: 'What the server counts about itself, in the text form of Prometheus',
  },
  openapi: {
    extension: true,
    summary: 'This document',
    answer: z.record(z.string(), z.unknown()),
  },
})
