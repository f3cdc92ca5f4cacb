import { createHash } from 'node:crypto'
import { ApiError, contract, timeOfEpochMs } from '@touchstone/contract'
import { nameMedia } from '@touchstone/formats/messages'
import {
  getSigningSecret,
  readToken,
  SIGNED_URL_MS,
  signAttachmentPath,
  signToken,
} from '../../features/attachments/index.ts'
import { readBody } from '../../http/read-body.ts'
import { getOrigin } from '../../http/request-origin.ts'
import { type App, serve, serveRaw } from '../../http/serve.ts'
import { sql, text, uuid } from '../../storage/analytics/sql.ts'
import { columns, count, each, text as textColumn } from '../../storage/rows.ts'
import { toTraceUuid } from '../otlp/tree/span-ids.ts'
import { attachToRun, attachToSpan, type MediaDeps, type StoredMedia } from './span-media.ts'

/**
 * The Langfuse SDKs take files out of the messages of a span, announce each by the hash of its bytes, upload what is not known
 * yet, and leave a reference with the hash in the message. The file is an attachment of the run of the span, under a name that
 * follows from the reference.
 */
export function langfuseMediaRoutes(app: App, deps: MediaDeps): void {
  const { createMedia, uploadMedia, updateMedia, readMedia } = contract.openTelemetry
  serve(app, createMedia, async ({ request, body, caller }) => {
    const { maxAttachmentBytes } = deps.config.ingest
    if (body.contentLength > maxAttachmentBytes) {
      const sentence = `The file has ${body.contentLength} bytes, more than the limit of ${maxAttachmentBytes}.`
      throw new ApiError('PAYLOAD_TOO_LARGE', sentence)
    }
    if (body.traceId == null)
      throw new ApiError('INVALID_REQUEST', 'Only files of traces are stored: traceId is missing.')
    const hash = Buffer.from(body.sha256Hash, 'base64').toString('hex')
    const upload: Upload = {
      tenantId: caller.tenantId,
      traceId: body.traceId.toLowerCase(),
      spanId: body.observationId?.toLowerCase() ?? '',
      hash,
      mime: body.contentType,
    }
    const mediaId = toMediaId(hash)
    const known = await findMedia(deps, caller.tenantId, sql`blob = ${text(hash)}`)
    // The bytes may be about to be removed with the last run that has them.
    if (known !== undefined && (await deps.blobs.touch(hash))) {
      await attach(deps, upload, known.bytes)
      return { mediaId, uploadUrl: null }
    }
    const { tenantId, traceId, spanId, mime } = upload
    const fields = [tenantId, traceId, spanId, hash, mime, body.contentLength]
    const token = signToken('media', fields, deps.clock() + UPLOAD_MS, await getSigningSecret(deps))
    return { mediaId, uploadUrl: `${getOrigin(deps.config, request)}/api/public/media/uploads/${token}` }
  })

  serveRaw(app, uploadMedia, async ({ params, request }) => {
    const fields = readToken('media', params.token, await getSigningSecret(deps), deps.clock())
    if (fields === undefined) throw new ApiError('NOT_FOUND', 'The URL of this upload is wrong or has expired.')
    const [tenantId, traceId, spanId, hash, mime, length] = fields as [string, string, string, string, string, number]
    request.bodyShare.belongTo(tenantId)
    const bytes = await readBody(request)
    if (bytes.length !== length || createHash('sha256').update(bytes).digest('hex') !== hash) {
      throw new ApiError('INVALID_REQUEST', 'These are not the bytes that were announced: their hash is another one.')
    }
    await deps.blobs.put(bytes)
    await attach(deps, { tenantId, traceId, spanId, hash, mime }, bytes.length)
  })

  serve(app, updateMedia, async () => undefined)

  serve(app, readMedia, async ({ request, params, caller: { tenantId } }) => {
    // 22 characters of base64 are 33 hex digits.
    const prefix = Buffer.from(`${params.media_id}AA`, 'base64url').toString('hex').slice(0, 33)
    const found = await findMedia(deps, tenantId, sql`startsWith(blob, ${text(prefix)})`)
    if (found === undefined) throw new ApiError('NOT_FOUND', 'No run of this workspace has this file.')
    const { run_id, name, mime_type: mimeType, bytes, blob: key, version } = found
    const now = deps.clock()
    const grant = { key, mimeType, name, owner: { kind: 'run', tenantId, id: run_id } } as const
    const path = signAttachmentPath(grant, await getSigningSecret(deps), now)
    return {
      mediaId: params.media_id,
      contentType: mimeType,
      contentLength: bytes,
      uploadedAt: timeOfEpochMs(Math.floor(version / 1000)),
      url: getOrigin(deps.config, request) + path,
      urlExpiry: timeOfEpochMs(now + SIGNED_URL_MS),
    }
  })
}

/** An SDK uploads in the background as soon as it was answered. */
const UPLOAD_MS = 60 * 60 * 1000

interface Upload {
  readonly tenantId: string
  /** Hex digits. */
  readonly traceId: string
  /** Hex digits; '' for a file of the trace itself. */
  readonly spanId: string
  readonly hash: string
  readonly mime: string
}

const toMediaId = (hash: string) => Buffer.from(hash, 'hex').toString('base64url').slice(0, 22)

async function attach(deps: MediaDeps, upload: Upload, bytes: number): Promise<void> {
  const { tenantId, traceId, spanId, hash, mime } = upload
  const name = nameMedia({ mime, id: toMediaId(hash) })
  const media: StoredMedia = { name, mime_type: mime, bytes, blob: hash }
  if (spanId === '') await attachToRun(deps, { tenantId }, toTraceUuid(traceId), media)
  else await attachToSpan(deps, { tenantId }, spanId, media)
}

const FOUND = columns({ ...each(['run_id', 'name', 'mime_type', 'blob'], textColumn), bytes: count, version: count })

/** A file that the workspace has, of a stored run if there is one: another workspace must not get it by its hash. */
async function findMedia({ analytics }: MediaDeps, tenantId: string, condition: ReturnType<typeof sql>) {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const [found] = await analytics.query(
    sql`
      select run_id, name, mime_type, blob, bytes, version from run_attachments final
      where ${tenant} and ${condition}
      order by run_id in (
          select id from run_keys final
          where ${tenant} and id in (select run_id from run_attachments where ${tenant} and ${condition})) desc
      limit 1`,
    FOUND,
  )
  return found
}
