import { MAX_EXAMPLE_BYTES, type ServerInfo } from '@touchstone/contract'
import type { Config } from '../../../config.ts'

/** Version of the wire contract served, which clients compare; not that of the package. */
const CONTRACT_VERSION = '0.18.0'

/** What clients tune their senders by; every key below `batch_ingest_config` must be there or Python stops tracing. */
export function describeServer({ ingest }: Pick<Config, 'ingest'>): ServerInfo {
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
