import { describe, expect, it } from 'vitest'
import type { Message, Part } from '../model.ts'
import { readMessage } from '../read/read-message.ts'
import { CORPUS, outline } from '../testing/corpus.ts'
import { writeOpenaiChat } from './openai-chat.ts'

describe('a message of any format, written for OpenAI and read again', () => {
  const messages = CORPUS.flatMap(({ format, shape, message }) => {
    const read = readMessage(message)
    return read === undefined ? [] : [{ format, shape, read }]
  })

  it.each(messages)('has the same content: $format, $shape', ({ read }) => {
    const again = writeOpenaiChat(read).map((one) => readMessage(one)!)
    const listParts = (list: readonly Message[]) =>
      list.flatMap(({ parts }) => parts.map((part) => outline({ role: '', parts: [part] })))
    expect(listParts(again).sort()).toEqual(listParts([{ role: '', parts: read.parts.flatMap(toWritten) }]).sort())
  })
})

/** Citations are beside the text there. */
function toWritten(part: Part): Part[] {
  if (part.kind !== 'text' || part.citations === undefined) return [part]
  return [
    { kind: 'text', text: part.text },
    { kind: 'sources', sources: part.citations },
  ]
}
