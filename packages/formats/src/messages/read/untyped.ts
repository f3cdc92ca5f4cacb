import { asList, asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import type { Part } from '../model.ts'
import { type ReadBlock, recorded } from './fields.ts'
import { readMedia } from './media.ts'
import { code, hiddenReasoning, mark, reasoning, text } from './text.ts'
import { readToolCall, readToolResult } from './tools.ts'

/**
 * Reads parts of Gemini and blocks of Bedrock. They have no type: what they are is in the name of a member.
 * https://ai.google.dev/api/caching#Part, https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
export const readUntyped: ReadBlock = (block, readNested) => {
  for (const [names, read] of MEMBERS) {
    const name = names.find((one) => block[one] !== undefined && block[one] !== null)
    if (name === undefined) continue
    const parts = read(block, asRecord(block[name]) ?? {}, name, readNested)
    if (parts !== undefined) return parts
  }
  return undefined
}

type ReadMember = (
  block: JsonRecord,
  held: JsonRecord,
  name: string,
  readNested: Parameters<ReadBlock>[1],
) => readonly Part[] | undefined

const call: ReadMember = (block, held, name) => {
  const read = readToolCall(
    { ...held, signature: block.thoughtSignature ?? block.thought_signature },
    recorded(block, [name, ...SIGNATURES]),
  )
  return read && [read]
}

const SIGNATURES = ['thoughtSignature', 'thought_signature']

const result: ReadMember = (block, { parts: given, ...held }, name, readNested) => {
  const files = asList(given) ?? []
  const read = readToolResult(withError(held, files.length > 0), readNested, recorded(block, [name]))
  return [files.length === 0 ? read : { ...read, parts: [...read.parts, ...readNested(files)] }]
}

/** A response of Gemini with an error and nothing else is that of a function that failed. It may be empty beside files. */
function withError({ response, ...held }: JsonRecord, hasFiles: boolean): JsonRecord {
  const fields = asRecord(response)
  if (hasFiles && fields !== undefined && Object.keys(fields).length === 0) return held
  const isError = fields?.error != null && Object.keys(fields).length === 1
  return isError ? { ...held, error: fields.error } : { ...held, ...(response !== undefined && { response }) }
}

const thoughtOrText: ReadMember = (block, _held, _name, readNested) => {
  if (block.thought !== true) return text(block, readNested)
  const { thought: _read, ...rest } = block
  return withRaw(reasoning(rest, readNested), block)
}

const bedrockReasoning: ReadMember = (block, held, _name, readNested) => {
  const shown = asRecord(held.reasoningText)
  const parts = shown === undefined ? hiddenReasoning(held, readNested) : reasoning(shown, readNested)
  return withRaw(parts, block)
}

const media =
  (type: 'image' | 'audio' | 'video' | 'file'): ReadMember =>
  (block, held, name, readNested) =>
    isMedium(held, name) ? readMedia(type)(block, readNested) : undefined

/** An object of the application may have a member of the same name. */
function isMedium(held: JsonRecord, name: string): boolean {
  return (
    /^(inline|file)_?data$/i.test(name) || asRecord(held.source) !== undefined || asRecord(held.image) !== undefined
  )
}

const codeResult: ReadMember = (block, held, name, readNested) => [
  readToolResult({ content: held.output, name: 'code_execution' }, readNested, {
    isOfProvider: true,
    ...recorded(block, [name]),
    ...(asText(held.outcome)?.endsWith('FAILED') && { isError: true }),
  }),
]

/** Bedrock has the text and its citations in one block. */
const cited: ReadMember = (block, held) => {
  const parts = Array.isArray(held.content) ? held.content : []
  const joined = parts.map((part) => asText(asRecord(part)?.text) ?? '').join('')
  return withRaw(
    text({ text: joined, citations: held.citations }, () => []),
    block,
  )
}

const wrap = (part: Part | undefined): readonly Part[] | undefined => part && [part]

function withRaw(parts: readonly Part[] | undefined, raw: JsonRecord): readonly Part[] | undefined {
  return parts?.map((part) => ({ ...part, raw }))
}

/** In this order: a block of Gemini may have a text and a mark beside it. */
const MEMBERS: readonly (readonly [readonly string[], ReadMember])[] = [
  [['functionCall', 'function_call', 'toolUse'], call],
  [['functionResponse', 'function_response', 'toolResult'], result],
  [
    ['executableCode', 'executable_code'],
    (block, held, _name, readNested) => withRaw(code('')(held, readNested), block),
  ],
  [['codeExecutionResult', 'code_execution_result'], codeResult],
  [['reasoningContent'], bedrockReasoning],
  [['citationsContent'], cited],
  [['inlineData', 'inline_data', 'fileData', 'file_data'], media('file')],
  [['image'], media('image')],
  [['audio'], media('audio')],
  [['video'], media('video')],
  [['document'], media('file')],
  // Haystack.
  [['tool_call'], (block) => wrap(readToolCall(block))],
  [
    ['tool_call_result'],
    (block, held, name, readNested) => [
      readToolResult({ ...held, ...asRecord(asRecord(held.origin)) }, readNested, recorded(block, [name])),
    ],
  ],
  [['text'], thoughtOrText],
  [['json'], (block) => [{ kind: 'unknown', value: block.json, raw: block }]],
  [['cachePoint'], (block, _held, _name, readNested) => mark(block, readNested)],
]
