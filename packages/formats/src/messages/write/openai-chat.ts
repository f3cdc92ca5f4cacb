import type { JsonRecord } from '../../json/guards.ts'
import type { Media, Message, Part, ReasoningPart, TextPart, ToolCall, ToolResult } from '../model.ts'
import { isOwnCall, isOwnResult, type Print, printArguments, printJson, removeCopies } from './shared.ts'

export interface WriteOptions {
  /**
   * `keep`: parts that OpenAI's format lacks stay as they were recorded, and reasoning stays beside the content. `send`: they
   * become texts or are left out, so that the API takes the messages.
   *
   * @default 'keep'
   */
  readonly others?: 'keep' | 'send'
  /** Prints a JSON value. @default JSON.stringify */
  readonly print?: Print
}

/** Writes a message in the format of OpenAI's chat completions: several, because results of tools are messages of their own. */
export function writeOpenaiChat(message: Message, options: WriteOptions = {}): JsonRecord[] {
  const settings = { others: options.others ?? 'keep', print: options.print ?? printJson }
  const results = message.parts.filter(isOwnResult)
  const others = message.parts.filter((part) => !isOwnResult(part))
  const written = results.map((result) => writeResult(result, settings))
  if (others.length === 0 && results.length > 0) return written
  const rest = writeMessage({ ...message, parts: others }, settings)
  // The API takes a result after its call only.
  return hasCallOf(others, results) ? [rest, ...written] : [...written, rest]
}

function hasCallOf(parts: readonly Part[], results: readonly ToolResult[]): boolean {
  const answered = new Set(results.map(({ id }) => id))
  return parts.some((part) => part.kind === 'tool_call' && part.id !== undefined && answered.has(part.id))
}

type Settings = Required<WriteOptions>

function writeMessage({ role, name, parts }: Message, settings: Settings): JsonRecord {
  const calls = parts.filter(isOwnCall)
  const [functionCall] = calls.filter(({ isFunctionCall }) => isFunctionCall)
  const tools = calls.filter(({ isFunctionCall }) => !isFunctionCall)
  const refusal = parts.flatMap((part) => (part.kind === 'refusal' ? [part.text] : [])).join('\n\n')
  const voice = role === 'assistant' ? parts.find(isVoice) : undefined
  const content = removeCopies(parts.flatMap((part) => (part === voice ? [] : writePart(part, settings))))
  return {
    role,
    ...(name !== undefined && { name }),
    content: content.length > 0 ? joinTexts(content) : tools.length > 0 || refusal !== '' || voice ? null : '',
    ...(settings.others === 'keep' && { ...writeReasoning(parts), ...writeSources(parts) }),
    ...(refusal !== '' && { refusal }),
    ...(voice && { audio: voice.raw?.audio }),
    ...(functionCall !== undefined && { function_call: writeFunction(functionCall, settings) }),
    ...(tools.length > 0 && { tool_calls: tools.map((call, at) => writeCall(call, at, settings)) }),
  }
}

/** The audio of an answer of OpenAI, which is beside the content. */
function isVoice(part: Part): boolean {
  return part.kind === 'media' && part.raw?.type === 'audio' && part.raw.audio !== undefined
}

function writeReasoning(parts: readonly Part[]): JsonRecord {
  const thoughts = parts.filter((part): part is ReasoningPart => part.kind === 'reasoning' && !part.isHidden)
  const { signature, signedBy } = thoughts.find((part) => part.signature !== undefined) ?? {}
  if (thoughts.length === 0) return {}
  return {
    reasoning_content: thoughts.map(({ text }) => text).join('\n\n'),
    ...(signature !== undefined && { reasoning_signature: signature }),
    ...(signedBy !== undefined && { reasoning_signed_by: signedBy }),
  }
}

/** What an answer cites, and its sources that are no block of the content. */
function writeSources(parts: readonly Part[]): JsonRecord {
  const cited = parts.flatMap((part) => {
    if (part.kind === 'text') return part.citations ?? []
    return part.kind === 'sources' && part.raw === undefined ? part.sources : []
  })
  return cited.length === 0 ? {} : { annotations: cited.map(({ raw }) => raw) }
}

function writeFunction(call: ToolCall, { print }: Settings): JsonRecord {
  return { name: call.name, arguments: printArguments(call, print) }
}

function writeCall(call: ToolCall, at: number, settings: Settings): JsonRecord {
  const id = call.id ?? (settings.others === 'send' ? `call_${at}` : undefined)
  const { signature } = call
  const isKept = settings.others === 'keep' && signature !== undefined
  return {
    ...(id !== undefined && { id }),
    type: 'function',
    function: writeFunction(call, settings),
    ...(isKept && { signature }),
  }
}

function writeResult({ id, name, parts, isError }: ToolResult, settings: Settings): JsonRecord {
  const content = parts.flatMap((part) =>
    part.kind === 'unknown' && (part.raw === undefined || settings.others === 'send')
      ? [toText(settings.print(part.value))]
      : writePart(part, settings),
  )
  return {
    // A function, the form before tools, has a name and no id.
    role: id === undefined && name !== undefined ? 'function' : 'tool',
    ...(id !== undefined && { tool_call_id: id }),
    ...(name !== undefined && { name }),
    content: content.length === 0 ? '' : joinTexts(content),
    // LangChain has this member; the API of OpenAI has none.
    ...(isError && settings.others === 'keep' && { status: 'error' }),
  }
}

/** A single text is a string. Several stay blocks, so that their borders are not lost. */
function joinTexts(blocks: readonly JsonRecord[]): unknown {
  const [only, ...others] = blocks
  return others.length === 0 && only?.type === 'text' && Object.keys(only).length === 2 ? only.text : blocks
}

const toText = (text: string): JsonRecord => ({ type: 'text', text })

function writePart(part: Part, settings: Settings): JsonRecord[] {
  switch (part.kind) {
    case 'text':
      return [writeText(part)]
    case 'media':
      return (keepsTranscript(part.media, settings) ? undefined : writeMedia(part.media)) ?? writeOther(part, settings)
    case 'reasoning':
      return part.isHidden ? writeOther(part, settings) : []
    case 'refusal':
      return []
    case 'tool_call':
      return part.isOfProvider ? writeOther(part, settings) : []
    default:
      return writeOther(part, settings)
  }
}

function writeText({ text }: TextPart): JsonRecord {
  return toText(text)
}

/** The words of an audio are in its own block only. */
function keepsTranscript({ transcript }: Media, { others }: Settings): boolean {
  return transcript !== undefined && others === 'keep'
}

/** A medium in OpenAI's format; undefined where the format lacks it. */
function writeMedia({ type, url, mime, label, fileId, detail, text }: Media): JsonRecord[] | undefined {
  if (text !== undefined) return undefined
  if (type === 'image' && url !== undefined && /^(https?|data|attachment):/i.test(url)) {
    return [{ type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } }]
  }
  const data = url?.match(/^data:[^,]*;base64,(.*)$/s)?.[1]
  if (type === 'audio' && data !== undefined) {
    return [{ type: 'input_audio', input_audio: { data, format: toAudioFormat(mime) } }]
  }
  if (type === 'file' && data !== undefined) {
    return [{ type: 'file', file: { file_data: url, filename: label ?? 'attachment' } }]
  }
  return type === 'file' && fileId !== undefined && url === undefined
    ? [{ type: 'file', file: { file_id: fileId } }]
    : undefined
}

/** The name of OpenAI for a type such as `audio/mpeg`. */
function toAudioFormat(mime = 'audio/wav'): string {
  const [, format = 'wav'] = mime.toLowerCase().split('/')
  return format === 'mpeg' ? 'mp3' : format === 'x-wav' || format === 'wave' ? 'wav' : format
}

/** A part without a form in OpenAI. */
function writeOther(part: Part, { others, print }: Settings): JsonRecord[] {
  if (others === 'keep') return part.raw === undefined ? [] : [part.raw]
  switch (part.kind) {
    case 'media':
      return [toText(part.media.text ?? describeMedia(part.media))]
    case 'code':
      return [toText(`\`\`\`${part.language}\n${part.code}\n\`\`\``)]
    case 'unknown':
      return [toText(print(part.value))]
    case 'sources':
      return part.sources.map(({ title, url, quote }) => toText([title, url, quote].filter(Boolean).join('\n')))
    default:
      return []
  }
}

/** Names a medium that cannot be sent. */
function describeMedia({ type, url, label }: Media): string {
  return `[${label ?? type}${url === undefined ? '' : ` at ${url.slice(0, 500)}`}]`
}
