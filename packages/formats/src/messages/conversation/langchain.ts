import { asList, asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import type { Message } from '../model.ts'
import { isLangChainMessage, readMessage, readMessages } from '../read/read-message.ts'
import { type Format, MESSAGE_FIELDS, readOne, textMessage, toSide } from './side.ts'

/** Messages of LangChain and LangGraph, and the generations of its models. */
export const LANGCHAIN: Format = {
  id: 'langchain',
  label: 'LangChain',
  input(inputs) {
    const name = firstField(inputs, 'messages', 'input')
    const first = asList(inputs[name])?.flat(1)[0]
    return isLangChainMessage(first) ? toSide(readMessages(inputs[name]), name) : undefined
  },
  output(outputs) {
    const generations = asList(outputs.generations)
    if (generations) return toSide(generations.flat(1).flatMap(readGeneration), 'generations')
    if (isLangChainMessage(outputs)) return readOne(outputs, ...MESSAGE_FIELDS, 'lc', 'id', 'kwargs', 'data')
    const name = firstField(outputs, 'messages', 'output')
    const list = asList(outputs[name])
    if (list) return isLangChainMessage(list.flat(1)[0]) ? toSide(readMessages(list), name) : undefined
    return isLangChainMessage(outputs[name]) ? readOne(outputs[name], name) : undefined
  },
}

function firstField(fields: JsonRecord, name: string, other: string): string {
  return fields[name] == null ? other : name
}

function readGeneration(generation: unknown): Message[] {
  const object = asRecord(generation)
  const message = readMessage(object?.message)
  if (message) return [message]
  const text = asText(object?.text)
  return text === undefined ? [] : [textMessage('assistant', text)]
}
