import { createHash } from 'node:crypto'
import { nameMedia } from '@touchstone/formats/messages'
import type { MappedAttachment } from '../mapped-span.ts'
import { readImageUrl, type SpanIds } from './image-url.ts'

/** Attachments of one span. */
export const MAX_ATTACHMENTS = 200

/** Takes media out of messages: each becomes an attachment, once, and a reference takes its place. */
export class MediaCollector {
  /** Whether a message refers to an image that was uploaded beside its span. */
  hasUploads = false
  private readonly byName = new Map<string, MappedAttachment>()

  /** @param span  ids of the span, whose images its instrumentation may have uploaded before */
  constructor(private readonly span: SpanIds = { traceId: '', spanId: '' }) {}

  /** `attachment:NAME` for the URL of an image that was uploaded for this span; other URLs as they are. */
  locate(url: string): string {
    const image = readImageUrl(url)
    const isOwn = image?.traceId === this.span.traceId && image.spanId === this.span.spanId
    if (!isOwn) return url
    this.hasUploads = true
    return `attachment:${image.name}`
  }

  get attachments(): readonly MappedAttachment[] {
    return [...this.byName.values()]
  }

  /**
   * Keeps the bytes of base64 or of a `data:` URL.
   *
   * @returns `attachment:NAME`, or undefined when the text is neither
   */
  collect(text: string, mimeType?: string): string | undefined {
    const dataUrl = /^data:([^;,]{0,200})((?:;[^;,]{0,200}){0,8}),/i.exec(text.slice(0, 2_000))
    const isUrl = dataUrl !== null
    if (isUrl && !/;base64$/i.test(dataUrl[2] ?? '')) return undefined
    const encoded = isUrl ? text.slice(dataUrl[0].length) : text
    if (encoded.length < 4 || NOT_BASE64.test(encoded)) return undefined
    const bytes = Buffer.from(encoded, 'base64')
    const type = (isUrl && dataUrl[1] ? dataUrl[1] : mimeType) ?? 'application/octet-stream'
    return this.add(nameOf(bytes, type), type, bytes)
  }

  /** @returns `attachment:NAME`, or undefined when there are too many */
  add(name: string, mimeType: string, bytes: Buffer): string | undefined {
    if (!this.byName.has(name)) {
      if (this.byName.size >= MAX_ATTACHMENTS) return undefined
      this.byName.set(name, { name, mimeType, bytes })
    }
    return `attachment:${name}`
  }
}

/** A character that is in neither alphabet of base64. */
const NOT_BASE64 = /[^\w+/\s=-]/

/** The same name for the same bytes, so that a resend overwrites the attachment. */
const nameOf = (bytes: Buffer, mime: string) =>
  nameMedia({ mime, id: createHash('sha256').update(bytes).digest('hex').slice(0, 12) })

export type MediaKind = 'image' | 'audio' | 'video' | 'file'

/** The kind of a medium by its modality, else by its type. */
export function mediaKind(modality: unknown, mimeType?: string): MediaKind {
  const kind = [modality, mimeType?.split('/')[0]].find((one) => one === 'image' || one === 'audio' || one === 'video')
  return (kind as MediaKind | undefined) ?? 'file'
}

/** A block of a message that refers to a medium by its address: a URL, or `attachment:NAME`. */
export function mediaBlock(
  kind: MediaKind,
  url: string,
  { mimeType, name, rest = {} }: { mimeType?: string | undefined; name?: string | undefined; rest?: object } = {},
): Record<string, unknown> {
  const type = mimeType === undefined ? {} : { mime_type: mimeType }
  if (kind === 'image') return { type: 'image_url', image_url: { url, ...type }, ...rest }
  if (kind === 'file') {
    return {
      type: 'file',
      file: { file_url: url, ...type, ...(name === undefined ? {} : { filename: name }) },
      ...rest,
    }
  }
  return { type: kind, source: { type: 'url', url, ...type }, ...rest }
}
