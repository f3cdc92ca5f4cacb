import { asList, asRecord, type JsonRecord } from '../../json/guards.ts'
import { readMessages } from '../read/read-message.ts'
import { readParts } from '../read/read-parts.ts'
import { type Format, MESSAGE_FIELDS, type ReadSide, readOne, toSide } from './side.ts'

/** Messages of Anthropic. */
export const ANTHROPIC: Format = {
  id: 'anthropic',
  label: 'Anthropic',
  input: (inputs) =>
    readWithSystem(
      inputs,
      (block) => typeof block.type === 'string' && /^(tool_use|tool_result|thinking|document)$/.test(block.type),
    ),
  output(outputs) {
    const inner = asRecord(outputs.message)
    const message = inner ?? outputs
    if (!asList(message.content) || message.role !== 'assistant') return undefined
    return readOne(message, ...(inner ? ['message'] : MESSAGE_FIELDS))
  },
}

/** The Converse API of Bedrock. */
export const BEDROCK: Format = {
  id: 'bedrock',
  label: 'Bedrock',
  input: (inputs) => {
    const side = readWithSystem(inputs, isUntyped)
    return listBlocks(inputs).some(isUntyped) ? side : undefined
  },
  output(outputs) {
    const { message, ...others } = asRecord(outputs.output) ?? {}
    return Object.keys(others).length === 0 ? readOne(message, 'output') : undefined
  },
}

const isUntyped = (block: JsonRecord) => block.type === undefined && !('message_content' in block)

/** Anthropic takes the system prompt beside the messages. */
function readWithSystem(inputs: JsonRecord, isOwn: (block: JsonRecord) => boolean): ReadSide | undefined {
  const messages = readMessages(inputs.messages)
  if (!messages) return undefined
  const system = readParts(inputs.system)
  if (system.length === 0 && !listBlocks(inputs).some(isOwn)) return undefined
  const all = system.length > 0 ? [{ role: 'system', parts: system }, ...messages] : messages
  return toSide(all, 'messages', 'system')
}

function listBlocks(inputs: JsonRecord): JsonRecord[] {
  const contents = (asList(inputs.messages) ?? []).flatMap((message) => asList(asRecord(message)?.content) ?? [])
  return contents.map(asRecord).filter((block) => block !== undefined)
}
