import { createHash } from 'node:crypto'
import type { MappedAttachment } from '../mapped-span.ts'

/** Attachments of one span. */
const MAX_ATTACHMENTS = 200

/** Takes media out of messages: each becomes an attachment, once, and a reference takes its place. */
export class MediaCollector {
  private readonly byName = new Map<string, MappedAttachment>()

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
function nameOf(bytes: Buffer, mimeType: string): string {
  const [kind = '', subtype = ''] = mimeType.toLowerCase().split('/')
  const extension = EXTENSIONS.get(subtype) ?? (/^[a-z0-9]{1,8}$/.test(subtype) ? subtype : 'bin')
  const prefix = ['image', 'audio', 'video'].includes(kind) ? kind : 'file'
  return `${prefix}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${extension}`
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'jpg'],
  ['svg+xml', 'svg'],
  ['mpeg', 'mp3'],
  ['plain', 'txt'],
  ['octet-stream', 'bin'],
  ['x-wav', 'wav'],
])

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
