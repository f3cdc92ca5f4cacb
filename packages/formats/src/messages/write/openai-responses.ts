import type { JsonRecord } from '../../json/guards.ts'
import type { Media, Message, Part, ReasoningPart } from '../model.ts'
import {
  findProof,
  hasOnlyAddress,
  isOwnCall,
  isOwnResult,
  keepPart,
  type Print,
  printArguments,
  printJson,
  removeCopies,
} from './shared.ts'

/**
 * Writes messages as items of OpenAI's Responses: reasoning, calls and results are items of their own. Parts that the
 * format lacks stay as they were recorded. https://platform.openai.com/docs/api-reference/responses/create
 */
export function writeOpenaiResponses(messages: readonly Message[], print: Print = printJson): JsonRecord[] {
  return messages.flatMap((message) => toItems(message, print))
}

function toItems({ role, name, parts }: Message, print: Print): JsonRecord[] {
  const isAnswer = role === 'assistant'
  const content = removeCopies(
    parts.filter((part) => !isItem(part)).flatMap((part) => writePart(part, isAnswer, print)),
  )
  const results = parts.filter(isOwnResult).map((part) => ({
    type: 'function_call_output',
    ...(part.id !== undefined && { call_id: part.id }),
    ...(part.name !== undefined && { name: part.name }),
    output: joinTexts(part.parts.flatMap((one) => writeResultPart(one, print))) ?? '',
    ...(part.isError && { is_error: true }),
  }))
  const calls = parts.filter(isOwnCall).map((call) => ({
    type: 'function_call',
    ...(call.id !== undefined && { call_id: call.id }),
    name: call.name,
    arguments: printArguments(call, print),
  }))
  const message = {
    role,
    ...(name !== undefined && { name }),
    content: isAnswer ? content : (joinTexts(content) ?? ''),
  }
  return [
    ...parts.flatMap((part) => (isThought(part) ? [writeReasoning(part)] : [])),
    ...(content.length > 0 || (!isAnswer && parts.length === 0) ? [message] : []),
    ...calls,
    ...results,
  ]
}

const isItem = (part: Part) => isOwnCall(part) || isOwnResult(part) || isThought(part)

/** Reasoning that is text, or that OpenAI encrypted and an AI SDK recorded. */
const isThought = (part: Part): part is ReasoningPart =>
  part.kind === 'reasoning' && (!part.isHidden || part.signedBy === 'openai')

function writeReasoning(part: ReasoningPart): JsonRecord {
  const { text, signedBy, rest } = part
  const proof = findProof(part, 'openai')
  const encrypted = signedBy === 'openai' ? proof : rest?.encrypted_content
  return {
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
    ...(signedBy === undefined && proof !== undefined && { signature: proof }),
  }
}

function writePart(part: Part, isAnswer: boolean, print: Print): JsonRecord[] {
  switch (part.kind) {
    case 'text': {
      const annotations = part.citations?.map(({ raw }) => raw)
      return [{ type: isAnswer ? 'output_text' : 'input_text', text: part.text, ...(annotations && { annotations }) }]
    }
    case 'media':
      return writeMedia(part.media) ?? keepPart(part, print)
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }]
    default:
      return keepPart(part, print)
  }
}

function writeResultPart(part: Part, print: Print): JsonRecord[] {
  if (part.kind === 'unknown' && part.raw === undefined) return [{ type: 'input_text', text: print(part.value) }]
  return writePart(part, false, print)
}

/** A single text is a string. */
function joinTexts(blocks: readonly JsonRecord[]): unknown {
  const [only, ...others] = blocks
  if (only === undefined) return undefined
  return others.length === 0 && only.type === 'input_text' && Object.keys(only).length === 2 ? only.text : blocks
}

function writeMedia(media: Media): JsonRecord[] | undefined {
  const { type, url, label, detail } = media
  if (url === undefined || !hasOnlyAddress(media)) return undefined
  if (type === 'image') return [{ type: 'input_image', image_url: url, detail: detail ?? 'auto' }]
  if (type !== 'file') return undefined
  const file = url.startsWith('data:') ? { file_data: url, filename: label ?? 'attachment' } : { file_url: url }
  return [{ type: 'input_file', ...file }]
}
