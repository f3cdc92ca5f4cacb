import { asList, asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import type { Media, MediaPart } from '../model.ts'
import { findRest, firstRecord, firstWord, present, type ReadBlock } from './fields.ts'

type MediaType = Media['type']

/** Members that hold the medium, in the order in which they are looked at. */
const HOLDERS = [
  ...['source', 'image_url', 'input_audio', 'input_image', 'audio_url', 'video_url', 'document_url', 'file'],
  ...['audio', 'image', 'video', 'document', 'inlineData', 'inline_data', 'fileData', 'file_data'],
]
const ADDRESSES = [
  ...['url', 'uri', 'image_url', 'audio_url', 'video_url', 'document_url', 'file_url', 'fileUri', 'file_uri'],
  ...['data', 'base64', 'bytes', 'file_data', 'image', 'content', 'b64_json', 'result'],
]
const MIMES = ['media_type', 'mediaType', 'mimeType', 'mime_type', 'contentType']
const LABELS = ['title', 'filename', 'file_name', 'displayName', 'display_name', 'name']
const FILE_IDS = ['file_id', 'fileId', 'id']

/** Reads an image, audio, video or document of any provider. @param type  what it is unless its MIME type is of another kind */
export function readMedia(type: MediaType): ReadBlock {
  return (block) => {
    const inner = toHolder(block)
    const source = asRecord(inner.source) ?? firstRecord(inner, ['image', 'audio', 'video']) ?? inner
    const text = readDocumentText(source)
    const address = text === undefined ? findAddress([source, inner, block]) : undefined
    const given = [source, inner, block].map((one) => firstWord(one, MIMES)).find(Boolean)
    const format = [source, inner, block].map((one) => firstWord(one, ['format', 'output_format'])).find(Boolean)
    const kind = toType(given, asText(block.modality) ?? asText(inner.modality), type)
    const mime = given ?? (format === undefined ? undefined : formatToMime(kind, format))
    const fileId = [source, inner].map((one) => firstWord(one, FILE_IDS)).find(Boolean)
    const label = [block, source, inner].map((one) => firstWord(one, LABELS)).find(Boolean)
    if (address === undefined && text === undefined && fileId === undefined) return undefined
    const made = address === undefined ? undefined : toUrl(address, kind, mime)
    const media: Media = {
      type: kind,
      ...present({
        url: made?.url,
        mime: mime ?? made?.mime,
        label: label ?? (made === undefined ? fileId : undefined),
        fileId,
        detail: firstWord(inner, ['detail']) ?? firstWord(block, ['detail']),
        transcript: firstWord(inner, ['transcript']) ?? firstWord(block, ['transcript']),
        text,
      }),
    }
    return [toPart(media, block, inner)]
  }
}

const READ = [
  ...['type', 'detail', 'format', 'output_format', 'transcript', 'text', 's3Location'],
  ...[...HOLDERS, ...ADDRESSES, ...MIMES, ...LABELS, ...FILE_IDS],
]

function toPart(media: Media, block: JsonRecord, inner: JsonRecord): MediaPart {
  const read = block.modality === media.type ? [...READ, 'modality'] : READ
  const rest = { ...findRest(block, read), ...findRest(inner, read) }
  return { kind: 'media', media, raw: block, ...(Object.keys(rest).length > 0 && { rest }) }
}

/** The object that holds the medium. OpenInference and Bedrock nest it twice. */
function toHolder(block: JsonRecord): JsonRecord {
  return firstRecord(block, HOLDERS) ?? block
}

/** Bytes of an S3 object are at its address. */
function findAddress(holders: readonly JsonRecord[]): string | undefined {
  for (const holder of holders) {
    const found = firstWord(holder, ADDRESSES) ?? firstWord(asRecord(holder.s3Location), ['uri'])
    if (found !== undefined) return found
  }
  return undefined
}

/** A document that was sent as text, or as blocks with text. */
function readDocumentText(source: JsonRecord): string | undefined {
  if (source.type === 'text') return asText(source.data) ?? asText(source.text)
  if (source.type !== 'content') return asText(source.text)
  const texts = asList(source.content)?.map((block) => asText(asRecord(block)?.text))
  if (texts === undefined) return asText(source.content)
  return texts.every((text) => text !== undefined) ? texts.join('\n\n') : undefined
}

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

/** Addresses stay as they are; anything else is base64. */
function toUrl(address: string, type: MediaType, mime: string | undefined): { url: string; mime?: string } {
  if (/^[a-z][a-z0-9+.-]{1,30}:/i.test(address)) return { url: address }
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
