import type { JsonRecord } from '../../json/guards.ts'
import type { Media, Message, Part, ToolResult } from '../model.ts'
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

export interface AnthropicMessages {
  /** Blocks of all messages of the system, for the member beside the messages. */
  readonly system: readonly JsonRecord[]
  readonly messages: readonly AnthropicTurn[]
}

export interface AnthropicTurn {
  readonly role: 'user' | 'assistant'
  readonly content: readonly JsonRecord[]
}

/**
 * Writes messages in the format of Anthropic's Messages. Parts that the format lacks stay as they were recorded.
 * https://docs.claude.com/en/api/messages
 */
export function writeAnthropic(messages: readonly Message[], print: Print = printJson): AnthropicMessages {
  const turns = messages.filter((message) => !isSystem(message)).map((message) => toTurn(message, print))
  return {
    system: messages.filter(isSystem).flatMap(({ parts }) => writeParts(parts, print)),
    messages: joinTurns(turns, 'content'),
  }
}

function toTurn({ role, parts }: Message, print: Print): AnthropicTurn {
  return { role: role === 'assistant' ? 'assistant' : 'user', content: writeParts(parts, print) }
}

/** Thoughts come first and calls last. */
function writeParts(parts: readonly Part[], print: Print): JsonRecord[] {
  const isThought = (part: Part) => part.kind === 'reasoning'
  const others = parts.filter((part) => !isThought(part) && !isOwnCall(part))
  return removeCopies(
    [...parts.filter(isThought), ...others, ...parts.filter(isOwnCall)].flatMap((part) => writePart(part, print)),
  )
}

function writePart(part: Part, print: Print): JsonRecord[] {
  if (isOwnResult(part)) return [writeResult(part, print)]
  if (isOwnCall(part)) {
    const { id, name } = part
    return [{ type: 'tool_use', ...(id !== undefined && { id }), name, input: toArguments(part) }]
  }
  switch (part.kind) {
    case 'text': {
      const citations = part.citations?.map(({ raw }) => raw)
      return [{ type: 'text', text: part.text, ...(citations && { citations }) }]
    }
    case 'reasoning': {
      if (part.isHidden) return keepPart(part, print)
      const signature = findProof(part, 'anthropic')
      return [{ type: 'thinking', thinking: part.text, ...(signature !== undefined && { signature }) }]
    }
    case 'media':
      return writeMedia(part.media) ?? keepPart(part, print)
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }]
    default:
      return keepPart(part, print)
  }
}

/** Its results have no name, which is kept all the same. */
function writeResult({ id, name, parts, isError }: ToolResult, print: Print): JsonRecord {
  return {
    type: 'tool_result',
    ...(id !== undefined && { tool_use_id: id }),
    ...(name !== undefined && { name }),
    content: parts.flatMap((part) =>
      part.kind === 'unknown' && part.raw === undefined
        ? [{ type: 'text', text: print(part.value) }]
        : writePart(part, print),
    ),
    ...(isError && { is_error: true }),
  }
}

function writeMedia(media: Media): JsonRecord[] | undefined {
  const { type, url, label } = media
  if (url === undefined || !hasOnlyAddress(media) || (type !== 'image' && type !== 'file')) return undefined
  const inline = parseDataUrl(url)
  if (type === 'file' && inline?.mediaType !== 'application/pdf' && !/^https?:/i.test(url)) return undefined
  const source =
    inline === undefined ? { type: 'url', url } : { type: 'base64', media_type: inline.mediaType, data: inline.data }
  return [
    type === 'image' ? { type, source } : { type: 'document', source, ...(label !== undefined && { title: label }) },
  ]
}
