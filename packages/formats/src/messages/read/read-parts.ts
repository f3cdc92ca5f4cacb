import { asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import { mayReferToMedia, splitAtReferences } from '../media-reference.ts'
import type { Part } from '../model.ts'
import type { ReadBlock } from './fields.ts'
import { AI_SDK, GENAI, LANGCHAIN, uiTool } from './frameworks.ts'
import { toAttachedMedia } from './media.ts'
import { ANTHROPIC, OPENAI_CHAT, OPENAI_RESPONSES } from './providers.ts'
import { readKernelItem } from './semantic-kernel.ts'
import { providerResult } from './tools.ts'
import { readUntyped } from './untyped.ts'

/**
 * Blocks of all formats by their type, in one table, because applications mix them. No two formats give one type to different
 * blocks. A map, because types come from traced content.
 */
const BLOCKS: ReadonlyMap<string, ReadBlock> = new Map(
  [OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, LANGCHAIN, AI_SDK, GENAI].flatMap((table) => Object.entries(table)),
)

/** Blocks inside of blocks. Deeper ones are shown as they were recorded. */
const MAX_DEPTH = 20

/**
 * Reads the content of a message: a text, a block, or a list of blocks of any format. Never throws; a block that is not known
 * becomes a part of kind `unknown`.
 */
export function readParts(content: unknown): readonly Part[] {
  return readNested(content, 0)
}

function readNested(content: unknown, depth: number): readonly Part[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return splitText({ kind: 'text', text: content })
  if (depth > MAX_DEPTH) return [{ kind: 'unknown', value: content }]
  if (Array.isArray(content)) return content.flatMap((one) => readNested(one, depth + 1))
  const block = asRecord(content)
  // A number or a boolean.
  if (block === undefined) return [{ kind: 'text', text: String(content) }]
  // OpenInference wraps every block.
  const wrapped = asRecord(block.message_content)
  if (wrapped !== undefined) return readNested(wrapped, depth + 1)
  const parts = readBlock(block, depth) ?? [{ kind: 'unknown', value: block, raw: block }]
  return parts.flatMap((part) => (part.kind === 'text' ? splitText(part) : part))
}

/** Files that the Langfuse SDKs took out of a text are parts beside the rest of it. */
function splitText(part: Part & { readonly kind: 'text' }): readonly Part[] {
  const { text, raw, citations, rest } = part
  if (!mayReferToMedia(text) || citations !== undefined || rest !== undefined) return [part]
  return splitAtReferences(text).flatMap((piece): Part[] => {
    if (typeof piece === 'string') return piece === '' ? [] : [{ ...part, text: piece }]
    return [{ kind: 'media', media: toAttachedMedia(piece), ...(raw !== undefined && { raw }) }]
  })
}

function readBlock(block: JsonRecord, depth: number): readonly Part[] | undefined {
  // LlamaIndex names the type otherwise.
  const type = asText(block.type) ?? asText(block.block_type)
  const read = type === undefined ? readWithoutType : (BLOCKS.get(type) ?? findByPattern(type, block))
  return read?.(block, (content) => readNested(content, depth + 1))
}

/** Semantic Kernel has the kind of its items in another member. */
const readWithoutType: ReadBlock = (block, inner) => readKernelItem(block, inner) ?? readUntyped(block, inner)

/** Types with the name of a tool in them. */
function findByPattern(type: string, block: JsonRecord): ReadBlock | undefined {
  if (type.endsWith('_tool_result')) return providerResult
  const isTool = type.startsWith('tool-') && typeof block.toolCallId === 'string' && typeof block.state === 'string'
  return isTool ? uiTool : undefined
}
