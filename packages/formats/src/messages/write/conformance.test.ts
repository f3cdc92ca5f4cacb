import { describe, expect, it } from 'vitest'
import type { JsonRecord } from '../../json/guards.ts'
import type { Citation, Message, Part } from '../model.ts'
import { readMessageOrItem } from '../read/read-message.ts'
import { CORPUS, outline } from '../testing/corpus.ts'
import { writeAnthropic } from './anthropic.ts'
import { writeGemini } from './gemini.ts'
import { writeOpenaiChat } from './openai-chat.ts'
import { writeOpenaiResponses } from './openai-responses.ts'
import { toArguments } from './shared.ts'

const MESSAGES = CORPUS.flatMap(({ format, shape, message }) => {
  const read = readMessageOrItem(message)
  return read === undefined ? [] : [{ format, shape, read }]
})

/** Messages of one message of the corpus, in the format of a provider. */
const WRITERS: Readonly<Record<string, (message: Message) => readonly JsonRecord[]>> = {
  openai: (message) => writeOpenaiChat(message),
  'openai responses': (message) => writeOpenaiResponses([message]),
  anthropic: (message) => {
    const { system, messages } = writeAnthropic([message])
    return [...(system.length > 0 ? [{ role: 'system', content: system }] : []), ...messages.map(toRecord)]
  },
  gemini: (message) => {
    const { system, contents } = writeGemini([message])
    return [...(system.length > 0 ? [{ role: 'system', parts: system }] : []), ...contents.map(toRecord)]
  },
}

/** What the format of a provider cannot express. */
const LIMITS: Readonly<Record<string, (part: Part) => Part>> = {
  anthropic: withObject,
  gemini: (part) => withResponse(withoutType(withObject(part))),
}

/** Arguments are an object. */
function withObject(part: Part): Part {
  return part.kind === 'tool_call' && !part.isOfProvider ? { ...part, args: toArguments(part) } : part
}

/** A file by its address has the kind of its media type, if it has one. */
function withoutType(part: Part): Part {
  const { type, mime, url } = part.kind === 'media' ? part.media : {}
  if (part.kind !== 'media' || type !== 'image' || mime !== undefined || !url?.startsWith('http')) return part
  return { ...part, media: { ...part.media, type: 'file' } }
}

/** A result is an object, so that a list or a number is in one. */
function withResponse(part: Part): Part {
  if (part.kind !== 'tool_result' || part.isOfProvider) return part
  const [only] = part.parts
  const isValue = only?.kind === 'text' && /^\s*(\[.*\]|\d+)\s*$/s.test(only.text)
  return isValue ? { ...part, parts: [{ kind: 'unknown', value: { result: JSON.parse(only.text) as unknown } }] } : part
}

const toRecord = (turn: object): JsonRecord => ({ ...turn })

describe.each(Object.keys(WRITERS))('a message of any format, written for %s and read again', (name) => {
  it.each(MESSAGES)('has the same content: $format, $shape', ({ read }) => {
    const again = WRITERS[name]!(read).map((one) => readMessageOrItem(one)!)
    expect(listParts(again)).toEqual(listParts([{ ...read, parts: read.parts.map(LIMITS[name] ?? ((part) => part)) }]))
  })
})

/** The parts in one line each. Where they stand differs: citations may be beside a text, reasoning before it. */
function listParts(messages: readonly Message[]): string[] {
  return messages
    .flatMap(({ parts }) => parts.flatMap(apart))
    .map((part) => outline({ role: '', parts: [part] }))
    .sort()
}

function apart(part: Part): Part[] {
  const toSources = (sources: readonly Citation[]) =>
    sources.map((source): Part => ({ kind: 'sources', sources: [source] }))
  if (part.kind === 'sources') return toSources(part.sources)
  return part.kind === 'text' ? [{ kind: 'text', text: part.text }, ...toSources(part.citations ?? [])] : [part]
}
