import { asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import type { Part } from '../model.ts'
import { findRest, firstText, firstWord, present, type ReadBlock, recorded } from './fields.ts'
import { readMedia } from './media.ts'
import { readToolCall, readToolResult } from './tools.ts'

/**
 * Items of a message of Semantic Kernel. Python names their kind by `content_type`; .NET by `$type`, with members in capitals.
 * https://learn.microsoft.com/semantic-kernel/concepts/ai-services/chat-completion/chat-history
 */
export const readKernelItem: ReadBlock = (block, readNested) => {
  const kind = asText(block.content_type) ?? DOTNET_KINDS.get(block.$type)
  if (kind === undefined) return undefined
  const fields = block.$type === undefined ? block : withSmallNames(block)
  const parts = readKind(kind, fields, readNested)
  return parts?.map((part) => ({ ...part, raw: block }))
}

const DOTNET_KINDS: ReadonlyMap<unknown, string> = new Map([
  ['TextContent', 'text'],
  ['ReasoningContent', 'reasoning'],
  ['FunctionCallContent', 'function_call'],
  ['FunctionResultContent', 'function_result'],
  ['ImageContent', 'image'],
  ['AudioContent', 'audio'],
  ['BinaryContent', 'binary'],
  ['FileReferenceContent', 'file_reference'],
])

const MEDIA = { image: 'image', audio: 'audio', binary: 'file', file: 'file', file_reference: 'file' } as const
const KINDS = ['content_type', '$type']

function readKind(kind: string, fields: JsonRecord, readNested: Parameters<ReadBlock>[1]): readonly Part[] | undefined {
  const text = firstText(fields, ['text'])
  if (kind === 'text' || kind === 'reasoning') {
    return text === undefined ? undefined : [{ kind, text, ...recorded(fields, [...KINDS, 'text']) }]
  }
  const name = firstWord(fields, ['name']) ?? toName(fields)
  const about = [...KINDS, 'name', 'function_name', 'functionName', 'plugin_name', 'pluginName']
  if (kind === 'function_call') {
    const { id, arguments: args } = fields
    const call = readToolCall({ id, name, arguments: args })
    return call && [{ ...call, ...recorded(fields, [...about, 'id', 'arguments']) }]
  }
  if (kind === 'function_result') {
    const { id, callId, call_id, result } = fields
    const read = readToolResult({ tool_call_id: call_id ?? callId ?? id, name, result }, readNested)
    return [{ ...read, ...recorded(fields, [...about, 'id', 'callId', 'call_id', 'result']) }]
  }
  const type = Object.hasOwn(MEDIA, kind) ? MEDIA[kind as keyof typeof MEDIA] : undefined
  if (type === undefined) return undefined
  const { data_uri, dataUri, uri, data, ...others } = fields
  const address = [data_uri, dataUri, uri, data].find((one) => typeof one === 'string' && one !== '')
  const [media] = readMedia(type)({ ...present({ url: address }), ...others }, readNested) ?? []
  return media && [{ ...media, ...present({ rest: findRest(media.rest ?? {}, KINDS) }) }]
}

/** Plugin and function, as models know the function. */
function toName(fields: JsonRecord): string | undefined {
  const plugin = firstWord(fields, ['plugin_name', 'pluginName'])
  const called = firstWord(fields, ['function_name', 'functionName'])
  return called === undefined || plugin === undefined ? called : `${plugin}-${called}`
}

function withSmallNames(block: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(block).map(([name, value]) => [lowerFirst(name), value]))
}

const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

/** The role and the members of a message of .NET; undefined for any other value. */
export function openKernelMessage(
  object: JsonRecord,
): { readonly role: string; readonly fields: JsonRecord } | undefined {
  const role = asText(asRecord(object.Role)?.Label)
  if (role === undefined) return undefined
  const { Role: _role, AuthorName: name, Items: items, Content: content, ...others } = object
  return {
    role,
    fields: { ...others, ...present({ name: asText(name) }), ...(items == null ? { content } : { items }) },
  }
}
