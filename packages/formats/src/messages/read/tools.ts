import { parseHeldJson } from '../../json/exact-json.ts'
import { asList, asRecord, asText, isRecord, type JsonRecord } from '../../json/guards.ts'
import type { OfferedTool, Part, ToolCall, ToolResult } from '../model.ts'
import { firstWord, present, type ReadBlock, type ReadNested, readSignature, recorded, SIGNATURES } from './fields.ts'

/** The id that a result refers to comes first: OpenAI's responses name their items too. */
const CALL_IDS = ['call_id', 'toolCallId', 'toolUseId', 'tool_call_id', 'tool_use_id', 'id']
const NAMES = ['name', 'toolName', 'tool_name']
const ARGUMENTS = ['arguments', 'args', 'input', 'parameters', 'arguments_json', 'tool_kwargs', 'action', 'rawInput']

/** Longer arguments stay a text. */
const MAX_PARSED = 1_000_000

/**
 * A call in any format: OpenAI chat (`function`), responses (`arguments`), Anthropic (`input`), LangChain
 * (`args`), Bedrock, Gemini, the AI SDK, GenAI, OpenInference (`tool_call`). Undefined without a name.
 */
export function readToolCall(value: unknown, more: Partial<ToolCall> = {}): ToolCall | undefined {
  const outer = asRecord(value)
  const call = asRecord(outer?.tool_call) ?? outer
  if (call === undefined) return undefined
  const named = asRecord(call.function) ?? asRecord(call.custom) ?? call
  const name = firstWord(named, NAMES) ?? firstWord(call, NAMES)
  if (name === undefined) return undefined
  const key = ARGUMENTS.find((one) => named[one] != null)
  const given = key === undefined ? undefined : named[key]
  const text = asText(given)
  return {
    kind: 'tool_call',
    ...present({ id: firstWord(call, CALL_IDS) }),
    name,
    args: text === undefined ? (given ?? {}) : text.length > MAX_PARSED ? text : parseHeldJson(text),
    ...present({ text, signature: readSignature(call).signature }),
    ...recorded(call, [
      'type',
      'function',
      'custom',
      ...SIGNATURES,
      ...usedId(call),
      ...NAMES,
      ...(key === undefined ? [] : [key]),
    ]),
    ...more,
  }
}

/** Only the id that was read: another one of the call stays in the rest. */
function usedId(call: JsonRecord): string[] {
  return CALL_IDS.filter((name) => typeof call[name] === 'string' && call[name] !== '').slice(0, 1)
}

export const toolCall: ReadBlock = (block) => {
  const call = readToolCall(block)
  return call && [call]
}

/** A tool that the provider runs itself. @param name  of calls that do not name their tool */
export function providerCall(name?: string): ReadBlock {
  return (block) => {
    const call = readToolCall(name === undefined ? block : { name, ...block }, { raw: block, isOfProvider: true })
    return call && [describeCall(call)]
  }
}

/** A call of the provider without a member for its arguments has them in members of their own. */
export function describeCall({ rest, ...call }: ToolCall): ToolCall {
  const { status: _status, ...args } = rest ?? {}
  const isEmpty = isRecord(call.args) && Object.keys(call.args).length === 0
  return isEmpty ? { ...call, args } : { ...call, ...(rest !== undefined && { rest }) }
}

const CONTENTS = ['content', 'output', 'result', 'response', 'tool_output', 'error', 'errorText']

/** Reads the result of a tool in any format. */
export function readToolResult(block: JsonRecord, readNested: ReadNested, more: Partial<ToolResult> = {}): ToolResult {
  const source = CONTENTS.find((key) => block[key] != null && block[key] !== '')
  const content = source === undefined ? undefined : block[source]
  const isError = block.is_error === true || block.isError === true || block.status === 'error' || isErrorValue(content)
  const error = [...(block.status === 'error' ? ['status'] : []), ...(isError ? ['is_error', 'isError'] : [])]
  return {
    kind: 'tool_result',
    ...present({
      id: firstWord(block, CALL_IDS),
      name: firstWord(block, NAMES),
    }),
    parts: readResultParts(content, readNested),
    ...((isError || source === 'error' || source === 'errorText') && { isError: true }),
    ...recorded(block, ['type', ...error, ...usedId(block), ...NAMES, ...(source === undefined ? [] : [source])]),
    ...more,
  }
}

export const toolResult: ReadBlock = (block, readNested) => [readToolResult(block, readNested)]
export const providerResult: ReadBlock = (block, readNested) => [
  readToolResult(block, readNested, { isOfProvider: true }),
]

/** The AI SDK and Anthropic name the kind of a result within it. */
function isErrorValue(value: unknown): boolean {
  const type = asText(asRecord(value)?.type)
  return type !== undefined && (type.startsWith('error-') || type.endsWith('_error'))
}

/** A result is a text, blocks, sources, or a JSON value. */
export function readResultParts(value: unknown, readNested: ReadNested): readonly Part[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return [{ kind: 'text', text: value }]
  const list = asList(value)
  if (list !== undefined) return readResultList(list, readNested)
  const fields = asRecord(value)
  if (fields === undefined) return [{ kind: 'unknown', value }]
  // The AI SDK wraps results: {type: "text" | "json" | "content", value}.
  if ('value' in fields && typeof fields.type === 'string' && /^(error-)?(text|json)$|^content$/.test(fields.type)) {
    return readResultParts(fields.value, readNested)
  }
  const only = readOnlyText(fields)
  if (only !== undefined) return [{ kind: 'text', text: only, raw: fields }]
  return isBlock(fields) ? readNested(fields) : [{ kind: 'unknown', value }]
}

/** Gemini takes objects only, so that clients put a text into one. */
function readOnlyText(fields: JsonRecord): string | undefined {
  const [[name, value] = [], ...others] = Object.entries(fields)
  return others.length === 0 && (name === 'output' || name === 'result') ? asText(value) : undefined
}

function readResultList(list: readonly unknown[], readNested: ReadNested): readonly Part[] {
  const records = list.map(asRecord)
  const isBlocks = list.length > 0 && records.every((one) => one !== undefined && isBlock(one))
  return isBlocks ? readNested(list) : [{ kind: 'unknown', value: list }]
}

/** Types of blocks that results of tools have. An object with another type is a value of the tool. */
const RESULT_BLOCK =
  /^((in|out)put_)?(text|image|audio|file)$|^(image_url|document|video|(web_)?search_result|resource(_link)?|computer_screenshot)$/

/** Blocks of Bedrock and Gemini have no type, and one member. */
const UNTYPED = new Set(['text', 'image', 'document', 'video', 'json', 'inlineData', 'fileData'])

function isBlock(value: JsonRecord): boolean {
  if (value.type !== undefined) return typeof value.type === 'string' && RESULT_BLOCK.test(value.type)
  const [name = '', ...others] = Object.keys(value)
  return others.length === 0 && UNTYPED.has(name)
}

/** Tools that a model could call, from the definitions of any provider. */
export function readOfferedTools(value: unknown): readonly OfferedTool[] {
  // The AI SDK has tools by name.
  const list =
    asList(value) ?? Object.entries(asRecord(value) ?? {}).map(([name, tool]) => ({ name, ...asRecord(tool) }))
  return list.flatMap((tool) => {
    const fields = asRecord(tool)
    const declared = asList(fields?.functionDeclarations ?? fields?.function_declarations)
    const definitions = declared ?? [asRecord(fields?.function) ?? asRecord(fields?.toolSpec) ?? fields]
    return definitions.flatMap((one) => readOfferedTool(asRecord(one)))
  })
}

const SCHEMAS = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema']

function readOfferedTool(tool: JsonRecord | undefined): OfferedTool[] {
  const name = firstWord(tool, ['name', 'type'])
  if (tool === undefined || name === undefined) return []
  const given = SCHEMAS.map((key) => tool[key]).find((one) => one != null)
  const schema = asRecord(given)?.jsonSchema ?? asRecord(given)?.json ?? given
  return [{ name, ...present({ description: asText(tool.description), schema }) }]
}
