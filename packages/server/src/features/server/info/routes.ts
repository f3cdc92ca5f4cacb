import { statfs } from 'node:fs/promises'
import { contract, MAX_EXAMPLE_BYTES, openApiDocument, type ServerInfo } from '@touchstone/contract'
import type { Config } from '../../../config.ts'
import type { Deps } from '../../../deps.ts'
import { type App, RawJson, serve, serveRaw } from '../../../http/serve.ts'
import { createReadinessCheck } from './readiness.ts'

export function infoRoutes(app: App, deps: Pick<Deps, 'config' | 'metrics' | 'relational' | 'analytics'>): void {
  const { config, metrics } = deps
  const { info, monitoring } = contract

  serve(app, info.read, async () => describeServer(config))

  serve(app, info.ok, async () => ({ ok: true }))

  const assertReady = createReadinessCheck(deps)
  serve(app, info.ready, async () => {
    await assertReady()
    return { ready: true }
  })

  serve(app, info.health, async () => {
    const { bavail, blocks } = await statfs(config.dataDir)
    return { clickhouse_disk_free_pct: Math.round((bavail / blocks) * 1000) / 10 }
  })

  // Printing hundreds of routes takes a tenth of a second, and the result never changes while the server runs.
  let document: RawJson | undefined
  serve(app, monitoring.openapi, async () => {
    document ??= new RawJson(JSON.stringify(openApiDocument({ version: describeServer(config).version })))
    return document
  })

  serveRaw(app, monitoring.metrics, async ({ reply }) =>
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await metrics.print()),
  )
}

/** Version of the served contract, which clients compare; independent of the package version. */
const CONTRACT_VERSION = '0.18.0'

/**
 * Settings for the senders of clients. The Python client stops tracing when a key below `batch_ingest_config` is
 * missing.
 */
function describeServer({ ingest }: Pick<Config, 'ingest'>): ServerInfo {
  return {
    version: CONTRACT_VERSION,
    git_sha: null,
    license_expiration_time: null,
    customer_info: null,
    batch_ingest_config: {
      use_multipart_endpoint: true,
      size_limit: 100,
      size_limit_bytes: Math.min(20 * 1024 * 1024, ingest.maxBodyBytes),
      scale_up_qsize_trigger: 1000,
      scale_up_nthreads_limit: 16,
      scale_down_nempty_trigger: 4,
    },
    instance_flags: {
      gzip_body_enabled: true,
      zstd_compression_enabled: true,
      dataset_examples_multipart_enabled: true,
      examples_multipart_enabled: true,
      ch_query_enabled: true,
      sdb_query_enabled: true,
      max_part_bytes: ingest.maxPartBytes,
      max_body_bytes: ingest.maxBodyBytes,
      max_attachment_bytes: ingest.maxAttachmentBytes,
      max_example_bytes: MAX_EXAMPLE_BYTES,
    },
  }
}
