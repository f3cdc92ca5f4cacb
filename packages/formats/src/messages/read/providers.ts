import { asList, asRecord, asText } from '../../json/guards.ts'
import type { Part } from '../model.ts'
import { present, type ReadBlock, recorded } from './fields.ts'
import { readMedia } from './media.ts'
import { code, hiddenReasoning, mark, reasoning, refusal, source, text } from './text.ts'
import {
  describeCall,
  providerCall,
  providerResult,
  readToolCall,
  readToolResult,
  toolCall,
  toolResult,
} from './tools.ts'

/** Blocks of OpenAI's chat completions. https://platform.openai.com/docs/api-reference/chat */
export const OPENAI_CHAT: Readonly<Record<string, ReadBlock>> = {
  text,
  refusal,
  image_url: readMedia('image'),
  input_audio: readMedia('audio'),
  audio: readMedia('audio'),
  file: readMedia('file'),
  // A definition of a tool has the same type.
  function: (block, readNested) => (block.function || block.arguments ? toolCall(block, readNested) : undefined),
  video_url: readMedia('video'),
  document_url: readMedia('file'),
}

/** A tool that the provider ran, with its result in the same item. */
function callWithResult(name: string, results: readonly string[]): ReadBlock {
  return (item, readNested) => {
    const call = readToolCall({ name, ...item }, { raw: item, isOfProvider: true })
    if (call === undefined) return undefined
    const key = results.find((one) => item[one] != null)
    if (key === undefined) return [describeCall(call)]
    const { [key]: _read, ...rest } = call.rest ?? {}
    const result = readToolResult({ content: item[key] }, readNested, { isOfProvider: true, raw: item })
    const about = present({ id: call.id, name: call.name })
    return [describeCall({ ...call, rest }), { ...result, ...about, ...(key === 'error' && { isError: true }) }]
  }
}

/** An image that the model made; a call while it is not ready. */
const generatedImage: ReadBlock = (item, readNested) => {
  if (typeof item.result !== 'string') return providerCall('image_generation')(item, readNested)
  const format = asText(item.output_format) ?? 'png'
  const mime = `image/${format}`
  const media = {
    type: 'image' as const,
    url: `data:${mime};base64,${item.result}`,
    mime,
    label: asText(item.revised_prompt) ?? 'generated image',
  }
  return [{ kind: 'media', media, ...recorded(item, ['type', 'result', 'output_format', 'status']) }]
}

/** The code that ran, and what it printed. */
const interpreterCall: ReadBlock = (item, readNested) => {
  const read = code('python')(item, readNested)
  if (read === undefined) return undefined
  const outputs = (asList(item.outputs) ?? []).flatMap((output): readonly Part[] => {
    const fields = asRecord(output)
    if (typeof fields?.logs === 'string') return [{ kind: 'text', text: fields.logs, raw: fields }]
    return fields?.type === 'image' ? readNested(fields) : [{ kind: 'unknown', value: output }]
  })
  if (outputs.length === 0) return read
  return [...read, { kind: 'tool_result', name: 'code_interpreter', parts: outputs, isOfProvider: true, raw: item }]
}

/** Items and blocks of OpenAI's responses. https://platform.openai.com/docs/api-reference/responses */
export const OPENAI_RESPONSES: Readonly<Record<string, ReadBlock>> = {
  input_text: text,
  output_text: text,
  summary_text: reasoning,
  reasoning_text: reasoning,
  reasoning,
  input_image: readMedia('image'),
  input_file: readMedia('file'),
  function_call: toolCall,
  function_call_output: toolResult,
  custom_tool_call: toolCall,
  custom_tool_call_output: toolResult,
  local_shell_call: providerCall('local_shell'),
  local_shell_call_output: providerResult,
  shell_call: providerCall('shell'),
  shell_call_output: providerResult,
  apply_patch_call: providerCall('apply_patch'),
  apply_patch_call_output: providerResult,
  computer_call: providerCall('computer'),
  computer_call_output: providerResult,
  computer_screenshot: readMedia('image'),
  web_search_call: callWithResult('web_search', []),
  file_search_call: callWithResult('file_search', ['results']),
  mcp_call: callWithResult('mcp', ['output', 'error']),
  mcp_approval_request: providerCall('mcp_approval'),
  code_interpreter_call: interpreterCall,
  image_generation_call: generatedImage,
}

/** Blocks of Anthropic's messages. https://docs.claude.com/en/api/messages */
export const ANTHROPIC: Readonly<Record<string, ReadBlock>> = {
  thinking: reasoning,
  redacted_thinking: hiddenReasoning,
  tool_use: toolCall,
  server_tool_use: providerCall(),
  mcp_tool_use: providerCall(),
  tool_result: toolResult,
  image: readMedia('image'),
  document: readMedia('file'),
  container_upload: readMedia('file'),
  search_result: source,
  web_search_result: source,
  input_json_delta: mark,
}
