import { S3Client } from '@aws-sdk/client-s3'
import type { S3Settings } from '../../../config.ts'
import { describeNetworkFailure, UnreachableEngineError } from '../../unreachable-engine.ts'
import type { Blobs } from '../port.ts'
import { createS3Blobs, type S3BlobsOptions } from './s3-blobs.ts'
import { S3Objects } from './s3-objects.ts'

/** Requests of which each is repeated with growing pauses, up to 20 seconds: a store that restarts is waited for. */
const MAX_ATTEMPTS = 5

/** Times after which a store that cannot be reached is given up. */
export interface S3Limits {
  /** For a connection: a new one, or one that becomes free. */
  readonly connectMs: number
  /** Between two pieces of an answer. */
  readonly idleMs: number
  /** After which a request is not repeated again. */
  readonly repeatMs: number
}

const LIMITS: S3Limits = { connectMs: 5_000, idleMs: 30_000, repeatMs: 20_000 }

/** Stores without regions expect the first one of AWS in signatures. */
const DEFAULT_REGION = 'us-east-1'

/**
 * Connects to a bucket of S3, or of a store with the same API, and reads from it once.
 *
 * @throws UnreachableEngineError when it cannot be used; the message names the setting
 */
export async function openS3Blobs(
  settings: S3Settings,
  {
    pageSize,
    limits,
    ...options
  }: Omit<S3BlobsOptions, 'prefix' | 'close'> & { readonly pageSize?: number; readonly limits?: S3Limits } = {},
): Promise<Blobs> {
  const client = createS3Client(settings, limits)
  const objects = new S3Objects(client, settings.bucket, pageSize)
  try {
    // Unlike other requests that only look, its failures have codes.
    await objects.list(`${settings.prefix}blobs/`).next()
  } catch (error) {
    client.destroy()
    throw describeFailure(settings, error)
  }
  return createS3Blobs(objects, { ...options, prefix: settings.prefix, close: () => client.destroy() })
}

/** A client with the address and the credentials of the settings. */
export function createS3Client(
  { endpoint, region, credentials, isPathStyle }: S3Settings,
  { connectMs, idleMs, repeatMs } = LIMITS,
): S3Client {
  // A warning that later versions of the SDK do not support Node 20, which is of no use to an operator.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  const regionOrDefault = region ?? (endpoint === undefined ? undefined : DEFAULT_REGION)
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    // Without these, the SDK looks where its other programs do: AWS_* variables, ~/.aws, roles of the machine.
    ...(regionOrDefault !== undefined && { region: regionOrDefault }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: isPathStyle ?? endpoint !== undefined,
    maxAttempts: MAX_ATTEMPTS,
    // Checksums of 2025 in trailers, which other stores do not read; requests have an MD5 instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMs, socketTimeout: idleMs },
  })
  return withoutLateRepeats(client, repeatMs)
}

/** A store that accepts connections and does not answer takes the time limit of an answer for each attempt. */
function withoutLateRepeats(client: S3Client, repeatMs: number): S3Client {
  const createStrategy = client.config.retryStrategy
  client.config.retryStrategy = async () => {
    const strategy = await createStrategy()
    // Strategies of the first version are those of earlier SDKs.
    if (!('refreshRetryTokenForRetry' in strategy)) return strategy
    // Each request asks for its strategy once.
    const until = performance.now() + repeatMs
    return {
      acquireInitialRetryToken: (scope) => strategy.acquireInitialRetryToken(scope),
      refreshRetryTokenForRetry: async (token, failure) => {
        if (performance.now() > until) throw failure.error ?? new Error('the request took too long to be repeated')
        return strategy.refreshRetryTokenForRetry(token, failure)
      },
      recordSuccess: (token) => strategy.recordSuccess(token),
    }
  }
  return client
}

const REFUSED_KEYS = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'ExpiredToken'])
const WRONG_REGION = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
])

/** Names what is wrong with the settings of a store that refused a request or did not answer. */
export function describeFailure(settings: S3Settings, error: unknown): UnreachableEngineError {
  const { bucket, endpoint } = settings
  const where = `S3 at ${endpoint === undefined ? 'AWS' : new URL(endpoint).host}`
  const say = (text: string) => new UnreachableEngineError(text, { cause: error })
  const [name, message] = error instanceof Error ? [error.name, error.message] : ['', String(error)]
  if (name === 'NoSuchBucket') {
    return say(`${where} has no bucket "${bucket}". Create it, or correct TOUCHSTONE_S3_BUCKET.`)
  }
  if (REFUSED_KEYS.has(name)) {
    const key = settings.credentials === undefined ? 'that the AWS SDK found' : `"${settings.credentials.accessKeyId}"`
    return say(
      `${where} refused the access key ${key} (${name}). Correct TOUCHSTONE_S3_ACCESS_KEY_ID and TOUCHSTONE_S3_SECRET_ACCESS_KEY.`,
    )
  }
  if (name === 'AccessDenied') {
    return say(
      `${where} does not let this access key list the bucket "${bucket}". Allow s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject on it, or correct TOUCHSTONE_S3_BUCKET.`,
    )
  }
  if (WRONG_REGION.has(name)) {
    return say(
      `${where} has the bucket "${bucket}" in another region (${firstLine(message)}). Correct TOUCHSTONE_S3_REGION.`,
    )
  }
  if (name === 'CredentialsProviderError' || /credential/i.test(name)) {
    return say(
      'No credentials for S3 were found. Set TOUCHSTONE_S3_ACCESS_KEY_ID and TOUCHSTONE_S3_SECRET_ACCESS_KEY, or any source of the AWS SDK.',
    )
  }
  if (/^Region is missing/.test(message)) return say('The region of the bucket is not known. Set TOUCHSTONE_S3_REGION.')
  return say(`${where} cannot be used: ${describeNetworkFailure(error)} (TOUCHSTONE_S3_ENDPOINT).`)
}

const firstLine = (text: string) => (text.split('\n', 1)[0] ?? '').slice(0, 200).replace(/\.$/, '')
