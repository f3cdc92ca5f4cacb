import { parseModelJson } from '../../json/exact-json.ts'
import { asRecord, isRecord, type JsonRecord } from '../../json/guards.ts'
import type { MediaPart, Message, Part, ToolResult } from '../model.ts'
import { readSignature } from '../read/fields.ts'
import {
  findProof,
  hasOnlyAddress,
  isOwnCall,
  isOwnResult,
  isSystem,
  joinTurns,
  keepPart,
  type Print,
  parseDataUrl,
  printJson,
  removeCopies,
  toArguments,
} from './shared.ts'

export interface GeminiMessages {
  /** Parts of all messages of the system, for `systemInstruction`. */
  readonly system: readonly JsonRecord[]
  readonly contents: readonly GeminiTurn[]
}

export interface GeminiTurn {
  readonly role: 'user' | 'model'
  readonly parts: readonly JsonRecord[]
}

export interface GeminiOptions {
  /** False leaves out the ids of calls, which not every host takes. @default true */
  readonly hasIds?: boolean
  /** Prints a JSON value. @default JSON.stringify */
  readonly print?: Print
}

/**
 * Writes messages in Gemini's format. Parts that the format lacks stay as they were recorded.
 * https://ai.google.dev/api/caching#Content
 */
export function writeGemini(
  messages: readonly Message[],
  { hasIds = true, print = printJson }: GeminiOptions = {},
): GeminiMessages {
  const names = new Map<string, string>()
  const write = (parts: readonly Part[]) =>
    removeCopies(parts.flatMap((part) => writePart(part, { hasIds, print, names })))
  const system = messages.filter(isSystem).flatMap(({ parts }) => write(parts))
  const turns = messages
    .filter((message) => !isSystem(message))
    .map(({ role, parts }): GeminiTurn => ({ role: role === 'assistant' ? 'model' : 'user', parts: write(parts) }))
  return {
    system,
    contents: joinTurns(turns, 'parts'),
  }
}

interface Settings extends Required<GeminiOptions> {
  /** Of functions, by the id of their last call: the API finds the call of a result by the name of its function. */
  readonly names: Map<string, string>
}

function writePart(part: Part, settings: Settings): JsonRecord[] {
  const { hasIds, print, names } = settings
  if (isOwnResult(part)) return writeResult(part, settings)
  if (isOwnCall(part)) {
    const { id, name, signature } = part
    if (id !== undefined) names.set(id, name)
    const functionCall = { ...(hasIds && id !== undefined && { id }), name, args: toArguments(part) }
    return [{ functionCall, ...(signature !== undefined && { thoughtSignature: signature }) }]
  }
  switch (part.kind) {
    case 'text':
      return [
        {
          text: part.text,
          ...(part.citations && { citations: part.citations.map(({ raw }) => raw) }),
          ...findSignature(part),
        },
      ]
    case 'reasoning': {
      if (part.isHidden) return keepPart(part, print)
      const signature = findProof(part, 'gemini')
      return [{ text: part.text, thought: true, ...(signature !== undefined && { thoughtSignature: signature }) }]
    }
    case 'media':
      return writeMedia(part)?.map((written) => ({ ...written, ...findSignature(part) })) ?? keepPart(part, print)
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }]
    default:
      return keepPart(part, print)
  }
}

/** Only Gemini signs texts and media. */
function findSignature({ rest }: Part): JsonRecord {
  const { signature, signedBy } = readSignature(rest ?? {})
  return signedBy === 'gemini' ? { thoughtSignature: signature } : {}
}

function writeResult(result: ToolResult, { hasIds, names }: Settings): JsonRecord[] {
  const { id, name, isError, raw } = result
  const files = result.parts.map((part) => (part.kind === 'media' ? writeMedia(part) : undefined))
  const parts = result.parts.filter((_, at) => files[at] === undefined)
  const [only, ...others] = parts
  const isText = parts.every(({ kind }) => kind === 'text')
  if (!isText && (others.length > 0 || only?.kind !== 'unknown') && raw !== undefined) return [raw]
  const value = only?.kind === 'unknown' ? only.value : joinTexts(parts)
  const known = name ?? (id === undefined ? undefined : (names.get(id) ?? (hasIds ? undefined : id)))
  const written = files.flatMap((file) => file ?? [])
  const response = parts.length === 0 && written.length > 0 ? {} : toResponse(value)
  return [
    {
      functionResponse: {
        ...(hasIds && id !== undefined && { id }),
        ...(known !== undefined && { name: known }),
        response: isError ? { error: response.result ?? response } : response,
        ...(written.length > 0 && { parts: written }),
      },
    },
  ]
}

const joinTexts = (parts: readonly Part[]) => parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')

/** A result must be an object. */
function toResponse(value: unknown): JsonRecord {
  if (typeof value !== 'string') return isRecord(value) ? value : { result: value }
  try {
    const parsed = parseModelJson(value)
    return isRecord(parsed) ? parsed : { result: parsed }
  } catch {
    return { result: value }
  }
}

function writeMedia({ media, raw }: MediaPart): JsonRecord[] | undefined {
  const { url, mime } = media
  if (url === undefined || !hasOnlyAddress(media)) return undefined
  // The value of a result refers to its files by their names.
  const { displayName } = asRecord(raw?.inlineData) ?? asRecord(raw?.fileData) ?? {}
  const named = typeof displayName === 'string' && { displayName }
  const inline = parseDataUrl(url)
  if (inline !== undefined) return [{ inlineData: { mimeType: inline.mediaType, data: inline.data, ...named } }]
  if (mime === undefined && media.type !== 'image') return undefined
  return [{ fileData: { ...(mime !== undefined && { mimeType: mime }), fileUri: url, ...named } }]
}
