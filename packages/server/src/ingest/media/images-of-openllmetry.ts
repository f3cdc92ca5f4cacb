import { ApiError, contract } from '@touchstone/contract'
import { getOrigin } from '../../http/request-origin.ts'
import { type App, type Caller, serve } from '../../http/serve.ts'
import { readPrintedIds, type SpanIds } from '../otlp/map/image-url.ts'
import { MAX_ATTACHMENTS } from '../otlp/map/media.ts'
import { attachToSpan, countOtherMedia, type MediaDeps } from './span-media.ts'

/**
 * OpenLLMetry asks for the URL of an image in base64, posts the image to it, and puts the URL into the message of its span. The
 * mapping of the span finds the attachment by that URL.
 */
export function imageRoutes(app: App, deps: MediaDeps): void {
  const { createImage, createImageShort, uploadImage, uploadImageShort } = contract.openTelemetry
  for (const route of [createImage, createImageShort]) {
    serve(app, route, async ({ request, params, body }) => {
      const path = request.url.replace(/\?.*$/s, '').replace(/(?<!\/)\/+$/, '')
      const { traceId, spanId } = readIds(params)
      const own = path.replace(/\/traces\/[^/]+\/spans\/[^/]+\/images$/, `/traces/${traceId}/spans/${spanId}/images`)
      return { url: `${getOrigin(deps.config, request)}${own}/${encodeURIComponent(body.image_name.toWellFormed())}` }
    })
  }
  for (const route of [uploadImage, uploadImageShort]) {
    serve(app, route, async ({ params, body, caller }) => {
      await storeImage(deps, caller, readIds(params), { name: params.name, base64: body.image_data })
    })
  }
}

/** @throws ApiError INVALID_REQUEST for a number that is too large, or of other digits than it seemed */
function readIds({ trace_id, span_id }: { readonly trace_id: string; readonly span_id: string }): SpanIds {
  const ids = readPrintedIds(trace_id, span_id)
  if (ids.traceId.length === 32 && ids.spanId.length === 16) return ids
  throw new ApiError('INVALID_REQUEST', 'The ids are not those of a trace of 16 bytes and a span of 8 bytes.')
}

interface GivenImage {
  readonly name: string
  readonly base64: string
}

/** @throws ApiError INVALID_REQUEST, PAYLOAD_TOO_LARGE */
async function storeImage(deps: MediaDeps, caller: Caller, { spanId }: SpanIds, image: GivenImage): Promise<void> {
  const name = image.name.toWellFormed()
  const { maxAttachmentBytes } = deps.config.ingest
  if (image.base64 === '' || /[^\w+/\s=-]/.test(image.base64)) {
    throw new ApiError('INVALID_REQUEST', 'image_data is not the base64 of an image.')
  }
  const bytes = Buffer.from(image.base64, 'base64')
  if (bytes.length > maxAttachmentBytes) {
    const sentence = `The image has ${bytes.length} bytes, more than the limit of ${maxAttachmentBytes}.`
    throw new ApiError('PAYLOAD_TOO_LARGE', sentence)
  }
  if ((await countOtherMedia(deps, caller.tenantId, spanId, name)) >= MAX_ATTACHMENTS) {
    throw new ApiError('INVALID_REQUEST', `This span has ${MAX_ATTACHMENTS} files already.`)
  }
  const blob = await deps.blobs.put(bytes)
  await attachToSpan(deps, caller, spanId, { name, mime_type: toMime(name), bytes: bytes.length, blob })
}

function toMime(name: string): string {
  const extension = /\.([a-z\d+]{1,8})$/i.exec(name)?.[1]?.toLowerCase()
  if (extension === undefined) return 'application/octet-stream'
  return `image/${extension === 'jpg' ? 'jpeg' : extension}`
}
