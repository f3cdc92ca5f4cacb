import { asList, asObject, asText, type ChatPart, type Media, type ToolCall } from './conversation.ts'

/** The parts of a message's content: a string, one block, or a list of blocks of any provider. */
export function readParts(content: unknown): ChatPart[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  if (Array.isArray(content)) return content.flatMap(readParts)
  const block = asObject(content)
  if (!block) return [{ kind: 'text', text: String(content) }]
  const read = BLOCKS[String(block.type)] ?? readGeminiPart
  return read(block) ?? [{ kind: 'unknown', value: content }]
}

/** A call as OpenAI chat (`function`), LangChain (`args`), Anthropic (`input`) or OpenAI responses (`arguments`) write it. */
export function readToolCall(value: unknown): ToolCall | undefined {
  const call = asObject(value)
  if (!call) return undefined
  const source = asObject(call.function) ?? asObject(call.custom) ?? call
  const name = asText(source.name)
  if (name === undefined) return undefined
  const id = asText(call.id) ?? asText(call.call_id)
  const args = source.arguments ?? source.args ?? source.input ?? {}
  return {
    kind: 'tool_call',
    name,
    args: typeof args === 'string' ? parsed(args) : args,
    ...(id === undefined ? {} : { id }),
  }
}

export function readToolCalls(value: unknown): ToolCall[] {
  return (asList(value) ?? []).flatMap((call) => readToolCall(call) ?? [])
}

type Block = Record<string, unknown>
type ReadBlock = (block: Block) => ChatPart[] | undefined

const text: ReadBlock = (block) => {
  const value = asText(block.text) ?? asText(asObject(block.text)?.value)
  return value === undefined ? undefined : value === '' ? [] : [{ kind: 'text', text: value }]
}

const refusal: ReadBlock = (block) => [{ kind: 'refusal', text: asText(block.refusal) ?? '' }]

const thinking: ReadBlock = (block) => {
  const own = asText(block.thinking) ?? asText(block.reasoning) ?? asText(block.text)
  const summary = asList(block.summary) ?? asList(block.content)
  const said = own ?? summary?.map((part) => asText(asObject(part)?.text) ?? '').join('\n\n')
  return said ? [{ kind: 'reasoning', text: said }] : []
}

const toolUse: ReadBlock = (block) => {
  const call = readToolCall(block)
  return call && [call]
}

const toolResult: ReadBlock = (block) => {
  const id = asText(block.tool_use_id) ?? asText(block.call_id) ?? asText(block.tool_call_id)
  const isError = block.is_error === true
  return [
    {
      kind: 'tool_result',
      parts: readParts(block.content ?? block.output),
      ...(id === undefined ? {} : { id }),
      ...(isError ? { isError } : {}),
    },
  ]
}

const media =
  (type: Media['type']): ReadBlock =>
  (block) => [{ kind: 'media', media: readMedia(type, block) }]

/** Blocks by their `type`, over all providers; no two of them use one word for different things. */
const BLOCKS: Record<string, ReadBlock> = {
  text,
  input_text: text,
  output_text: text,
  refusal,
  thinking,
  reasoning: thinking,
  reasoning_content: thinking,
  redacted_thinking: () => [{ kind: 'reasoning', text: '(redacted by the provider)' }],
  tool_use: toolUse,
  server_tool_use: toolUse,
  function_call: toolUse,
  custom_tool_call: toolUse,
  tool_call: toolUse,
  input_json_delta: () => [],
  tool_result: toolResult,
  web_search_tool_result: toolResult,
  function_call_output: toolResult,
  custom_tool_call_output: toolResult,
  image: media('image'),
  image_url: media('image'),
  input_image: media('image'),
  input_audio: media('audio'),
  audio: media('audio'),
  video: media('video'),
  document: media('file'),
  file: media('file'),
  input_file: media('file'),
}

/** Gemini's parts carry no `type`: the key says what they are. */
function readGeminiPart(part: Block): ChatPart[] | undefined {
  const said = asText(part.text)
  if (said !== undefined) return [{ kind: part.thought === true ? 'reasoning' : 'text', text: said }]
  const call = asObject(part.functionCall ?? part.function_call)
  if (call) return readToolCall(call) ? [readToolCall(call)!] : undefined
  const answer = asObject(part.functionResponse ?? part.function_response)
  if (answer) {
    const [name, id] = [asText(answer.name), asText(answer.id)]
    return [
      {
        kind: 'tool_result',
        parts: [{ kind: 'unknown', value: answer.response }],
        ...(name === undefined ? {} : { name }),
        ...(id === undefined ? {} : { id }),
      },
    ]
  }
  const inline = asObject(part.inlineData ?? part.inline_data ?? part.fileData ?? part.file_data)
  if (inline) return [{ kind: 'media', media: readMedia(kindOfMime(mimeOf(inline)), inline) }]
  const code = asText(asObject(part.executableCode ?? part.executable_code)?.code)
  return code === undefined ? undefined : [{ kind: 'text', text: `\`\`\`\n${code}\n\`\`\`` }]
}

function readMedia(type: Media['type'], block: Block): Media {
  const source =
    [block.source, block.image_url, block.input_audio, block.file, block.audio].map(asObject).find(Boolean) ?? block
  const mime =
    mimeOf(source) ?? mimeOf(block) ?? (asText(source.format) ? `${type}/${asText(source.format)}` : undefined)
  const direct =
    asText(block.image_url) ??
    asText(source.url) ??
    asText(source.file_data) ??
    asText(source.fileUri) ??
    asText(source.file_uri) ??
    asText(source.file_url)
  const data = asText(source.data) ?? asText(source.base64)
  const url = direct ?? (data === undefined ? undefined : `data:${mime ?? `${type}/*`};base64,${data}`)
  const label = asText(block.title) ?? asText(source.filename) ?? asText(source.file_id) ?? asText(source.id)
  return {
    type,
    ...(url === undefined ? {} : { url }),
    ...(mime === undefined ? {} : { mime }),
    ...(label === undefined ? {} : { label }),
  }
}

function mimeOf(source: Block): string | undefined {
  return asText(source.media_type) ?? asText(source.mimeType) ?? asText(source.mime_type)
}

function kindOfMime(mime = ''): Media['type'] {
  const [kind] = mime.split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file'
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
