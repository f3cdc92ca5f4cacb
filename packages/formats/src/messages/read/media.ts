import { asList, asRecord, asText, isRecord, type JsonRecord } from '../../json/guards.ts'
import { type MediaReference, nameMedia, readMediaReference } from '../media-reference.ts'
import type { Media } from '../model.ts'
import { present, type ReadBlock } from './fields.ts'

type MediaType = Media['type']

/** Members that hold the medium, in the order in which they are looked at. */
const HOLDERS = [
  ...['source', 'image_url', 'input_audio', 'input_image', 'audio_url', 'video_url', 'document_url', 'file'],
  ...['audio', 'image', 'video', 'document', 'inlineData', 'inline_data', 'fileData', 'file_data', 's3Location'],
]
const ADDRESSES = [
  ...['url', 'uri', 'image_url', 'audio_url', 'video_url', 'document_url', 'file_url', 'fileUri', 'file_uri'],
  ...['data', 'base64', 'bytes', 'file_data', 'image', 'input_audio', 'content', 'b64_json', 'result'],
]
const MIMES = ['media_type', 'mediaType', 'mimeType', 'mime_type', 'contentType', 'image_mimetype']
const LABELS = ['title', 'filename', 'file_name', 'displayName', 'display_name', 'name']
const FILE_IDS = ['file_id', 'fileId', 'id']

/** Reads an image, audio, video or document of any provider. @param type  what it is unless its MIME type is of another kind */
export function readMedia(type: MediaType): ReadBlock {
  return (block) => {
    const members = new Members(block)
    const text = readDocumentText(members)
    const address = text === undefined ? members.take(ADDRESSES) : undefined
    const given = members.take(MIMES)
    const format = given === undefined ? members.take(['format', 'output_format']) : undefined
    const referred = address === undefined ? undefined : readMediaReference(address)?.mime
    const kind = toType(given ?? referred, members.find('modality'), type)
    const mime = given ?? referred ?? (format === undefined ? undefined : formatToMime(kind, format))
    const fileId = members.take(FILE_IDS)
    const label = members.take(LABELS)
    if (address === undefined && text === undefined && fileId === undefined) return undefined
    const made = address === undefined ? undefined : toUrl(address, kind, mime)
    if (members.find('modality') === kind) members.take(['modality'])
    const media: Media = {
      type: kind,
      ...present({
        url: made?.url,
        mime: mime ?? made?.mime,
        label: label ?? (made === undefined ? fileId : undefined),
        fileId,
        detail: members.take(['detail']),
        transcript: members.take(['transcript']),
        originalUrl: members.take(['original_url']),
        text: text ?? made?.text,
      }),
    }
    const rest = members.listRest()
    return [{ kind: 'media', media, raw: block, ...(rest !== undefined && { rest }) }]
  }
}

/** The members of a block and of the objects that hold its medium, and which of them were read. */
class Members {
  /** From the innermost to the block itself. */
  readonly #holders: JsonRecord[]
  readonly #read = new Map<JsonRecord, Set<string>>()

  constructor(readonly block: JsonRecord) {
    this.#holders = [block]
    this.#read.set(block, new Set(['type', 'block_type']))
    // OpenInference and Bedrock nest the medium twice.
    for (let depth = 0; depth < 3; depth++) {
      const inner = this.#findHolder(this.#holders[0] as JsonRecord)
      if (inner === undefined) break
      this.#holders.unshift(inner)
      this.#read.set(inner, new Set(['type']))
    }
  }

  get inner(): JsonRecord {
    return this.#holders[0] as JsonRecord
  }

  #findHolder(outer: JsonRecord): JsonRecord | undefined {
    const name = HOLDERS.find((one) => isRecord(outer[one]))
    if (name === undefined) return undefined
    this.#read.get(outer)?.add(name)
    return asRecord(outer[name])
  }

  /** The first of these members that is a text with characters. */
  take(names: readonly string[]): string | undefined {
    for (const holder of this.#holders) {
      const name = names.find((one) => typeof holder[one] === 'string' && holder[one] !== '')
      if (name === undefined) continue
      this.#read.get(holder)?.add(name)
      return holder[name] as string
    }
    return undefined
  }

  find(name: string): string | undefined {
    return this.#holders.map((holder) => asText(holder[name])).find((one) => one !== undefined)
  }

  /** Counts a member of the innermost object as read. */
  use(name: string): void {
    this.#read.get(this.inner)?.add(name)
  }

  listRest(): JsonRecord | undefined {
    const entries = this.#holders
      .toReversed()
      .flatMap((holder) =>
        Object.entries(holder).filter(([name, value]) => value != null && !this.#read.get(holder)?.has(name)),
      )
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
}

/** A document that was sent as text, as blocks with text (Anthropic), or as an object (Cohere). */
function readDocumentText(members: Members): string | undefined {
  const { inner } = members
  if (inner.type === 'text') return members.take(['data', 'text'])
  if (isRecord(inner.data)) {
    members.use('data')
    const { title, text, ...others } = inner.data
    const isPlain = typeof text === 'string' && Object.keys(others).length === 0
    return isPlain ? [title, text].filter((one) => typeof one === 'string').join('\n\n') : JSON.stringify(inner.data)
  }
  if (inner.type !== 'content') return undefined
  const texts = asList(inner.content)?.map((block) => asText(asRecord(block)?.text))
  if (texts === undefined) return members.take(['content'])
  if (!texts.every((text) => text !== undefined)) return undefined
  members.use('content')
  return texts.join('\n\n')
}

/** A file that the Langfuse SDKs took out of the message. */
export function toAttachedMedia(reference: MediaReference): Media {
  const { mime } = reference
  return { type: toType(mime, undefined, 'file'), url: toAttachmentUrl(reference), mime }
}

const toAttachmentUrl = (reference: MediaReference) => `attachment:${nameMedia(reference)}`

function toType(mime: string | undefined, modality: string | undefined, otherwise: MediaType): MediaType {
  const kind = [modality, mime?.split('/')[0]].find((one) => one === 'image' || one === 'audio' || one === 'video')
  return (kind as MediaType | undefined) ?? otherwise
}

const TYPE_OF: Readonly<Record<MediaType, string>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  file: 'application',
}

function formatToMime(type: MediaType, format: string): string {
  return format.includes('/') ? format : `${TYPE_OF[type]}/${format === 'jpg' ? 'jpeg' : format}`
}

/** A character that is in neither alphabet of base64. */
const NOT_BASE64 = /[^\w+/=\r\n-]/

/** Addresses stay as they are. Anything else is base64, or the text of a document. */
function toUrl(
  address: string,
  type: MediaType,
  mime: string | undefined,
): { url?: string; mime?: string; text?: string } {
  const reference = readMediaReference(address)
  if (reference !== undefined) return { url: toAttachmentUrl(reference) }
  if (/^[a-z][a-z0-9+.-]{1,30}:\S*$/i.test(address.slice(0, 200))) return { url: address }
  if (NOT_BASE64.test(address)) return { text: address }
  const known = mime ?? sniffMime(address)
  return { url: `data:${known ?? `${type}/*`};base64,${address}`, ...(known !== undefined && { mime: known }) }
}

/** The first characters of base64, by what the bytes are. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi0', 'application/pdf'],
  ['SUQz', 'audio/mpeg'],
  ['//uQ', 'audio/mpeg'],
  ['T2dnUw', 'audio/ogg'],
  ['ZkxhQw', 'audio/flac'],
  ['AAAAIGZ0eXA', 'video/mp4'],
  ['AAAAHGZ0eXA', 'video/mp4'],
]

/** The type of bytes in base64, from how they begin: providers leave it out where the request had named it. */
function sniffMime(base64: string): string | undefined {
  // Both are containers of the same kind; the name of their content follows the length.
  if (base64.startsWith('UklGR')) return base64.startsWith('XRUJQ', 11) ? 'image/webp' : 'audio/wav'
  return SIGNATURES.find(([start]) => base64.startsWith(start))?.[1]
}
