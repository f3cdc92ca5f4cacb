import { readInfo } from '@touchstone/contract/routes/ingest'
import { APIError } from '../../errors.ts'
import type { Transport } from '../../transport/transport.ts'

/** Maximum size and form of an ingest request. */
export interface Limits {
  maxRuns: number
  maxBytes: number
  multipart: boolean
  gzip: boolean
}

export const DEFAULT_BATCH_SIZE_LIMIT = 100
export const DEFAULT_UNCOMPRESSED_BATCH_SIZE_LIMIT_BYTES = 24 * 1024 * 1024

/**
 * Default maximum request size. Servers accept more, but building and copying a body blocks the event loop for about a
 * millisecond per megabyte.
 */
export const PREFERRED_MAX_BYTES = 4 * 1024 * 1024

export const DEFAULT_LIMITS: Limits = {
  maxRuns: DEFAULT_BATCH_SIZE_LIMIT,
  maxBytes: DEFAULT_UNCOMPRESSED_BATCH_SIZE_LIMIT_BYTES,
  multipart: true,
  gzip: false,
}

interface Info {
  batch_ingest_config?: {
    use_multipart_endpoint?: boolean
    size_limit?: number
    size_limit_bytes?: number
  } | null
  instance_flags?: { gzip_body_enabled?: unknown } | null
}

/**
 * Reads the limits from the server's information. Makes only one attempt: the waiting batch has its own retries, and
 * the defaults suit every server.
 *
 * @returns `undefined` when there was no answer, so that a later batch may ask again
 */
export async function fetchLimits(transport: Transport): Promise<Limits | undefined> {
  const { connection } = transport
  const request = { timeoutMs: 10_000, maxRetries: 0 }
  try {
    const info = await transport.call(readInfo, { ...request, doing: 'read the server information' })
    if (connection.debug) connection.logger.debug?.(`/info ${JSON.stringify(info)}`)
    return toLimits(info)
  } catch (error) {
    const answered = error instanceof APIError && error.status !== undefined
    return answered ? DEFAULT_LIMITS : undefined
  }
}

function toLimits({ batch_ingest_config: config, instance_flags: flags }: Info): Limits {
  return {
    maxRuns: config?.size_limit ?? DEFAULT_LIMITS.maxRuns,
    maxBytes: config?.size_limit_bytes ?? DEFAULT_LIMITS.maxBytes,
    multipart: config?.use_multipart_endpoint !== false,
    gzip: flags?.gzip_body_enabled === true,
  }
}
