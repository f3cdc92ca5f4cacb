import { asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import type { Part } from '../model.ts'
import { firstText, type ReadBlock, recorded } from './fields.ts'
import { readMedia } from './media.ts'
import { hiddenReasoning, mark, reasoning, source } from './text.ts'
import { providerCall, readToolCall, readToolResult, toolCall, toolResult } from './tools.ts'

/** A part of a message in the page of the AI SDK: `tool-NAME`, with the call and its result. */
export const uiTool: ReadBlock = (part, readNested) => {
  const name = asText(part.toolName) ?? asText(part.type)?.replace(/^tool-/, '')
  const call = readToolCall({ ...part, name }, { raw: part })
  if (call === undefined) return undefined
  const { output: _output, result: _result, errorText: _error, state: _state, ...rest } = call.rest ?? {}
  const about = { ...call, rest }
  if (part.output === undefined && part.errorText === undefined) return [about]
  return [about, readToolResult({ toolCallId: part.toolCallId, toolName: name, ...pickResult(part) }, readNested)]
}

const pickResult = (part: JsonRecord) =>
  part.output === undefined ? { errorText: part.errorText } : { output: part.output }

/** Parts of the AI SDK. https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message */
export const AI_SDK: Readonly<Record<string, ReadBlock>> = {
  'tool-call': toolCall,
  'tool-result': toolResult,
  'tool-error': toolResult,
  'dynamic-tool': uiTool,
  'tool-invocation': (part, readNested) => {
    const held = asRecord(part.toolInvocation)
    return held === undefined ? undefined : uiTool({ ...held, output: held.result }, readNested)
  },
  'redacted-reasoning': hiddenReasoning,
  source,
  'source-url': source,
  'source-document': source,
  'step-start': mark,
}

/** A block that LangChain wraps because its standard has none for it. */
const nonStandard: ReadBlock = (block, readNested) => {
  const value = asRecord(block.value)
  return value === undefined ? undefined : readNested(value)
}

/** A document that is a text. */
const plainText: ReadBlock = (block) => {
  const text = firstText(block, ['text'])
  if (text === undefined) return undefined
  const label = firstText(block, ['title'])
  const media = { type: 'file' as const, mime: 'text/plain', text, ...(label !== undefined && { label }) }
  return [{ kind: 'media', media, ...recorded(block, ['type', 'text', 'title', 'mime_type']) }]
}

/** Standard blocks of LangChain 1. https://docs.langchain.com/oss/python/langchain/messages */
export const LANGCHAIN: Readonly<Record<string, ReadBlock>> = {
  tool_call: toolCall,
  tool_call_chunk: toolCall,
  invalid_tool_call: toolCall,
  server_tool_call: (block, readNested) => serverCall(block) ?? providerCall()(block, readNested),
  server_tool_call_chunk: providerCall(),
  server_tool_result: (block, readNested) => [readToolResult(block, readNested, { isOfProvider: true })],
  reasoning_content: reasoning,
  video: readMedia('video'),
  'text-plain': plainText,
  non_standard: nonStandard,
  citation: source,
}

/** GenAI has the arguments of a tool that the provider runs in a member of the name of the block. */
function serverCall(block: JsonRecord): readonly Part[] | undefined {
  if (block.server_tool_call === undefined) return undefined
  const { server_tool_call: input, ...others } = block
  const call = readToolCall({ ...others, name: block.name ?? 'server_tool', input }, { raw: block, isOfProvider: true })
  return call && [call]
}

/** Parts of OpenTelemetry's GenAI conventions, and those that Pydantic AI adds. https://opentelemetry.io/docs/specs/semconv/gen-ai */
export const GENAI: Readonly<Record<string, ReadBlock>> = {
  tool_call_response: toolResult,
  server_tool_call_response: (block, readNested) => {
    const { server_tool_call_response: content, ...others } = block
    return [readToolResult({ ...others, content }, readNested, { isOfProvider: true, raw: block })]
  },
  blob: readMedia('file'),
  binary: readMedia('file'),
  uri: readMedia('file'),
  'image-url': readMedia('image'),
  'audio-url': readMedia('audio'),
  'video-url': readMedia('video'),
  'document-url': readMedia('file'),
}
