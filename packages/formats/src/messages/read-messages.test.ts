import { describe, expect, it } from 'vitest'
import { readMessageOrItem } from './index.ts'
import { CORPUS, outline } from './testing/corpus.ts'

const read = (value: unknown) => readMessageOrItem(value)!

describe('a recorded message', () => {
  it.each(CORPUS)('is read: $format, $shape', ({ message, reads }) => {
    expect([outline(read(message))]).toEqual(reads)
  })

  it.each(CORPUS)('is read with nothing lost: $format, $shape', ({ message }) => {
    const kept = listValues(read(message), true).join('\n').toLowerCase()
    const isKept = (value: unknown) => NAMES.has(value) || kept.includes(String(value).toLowerCase())
    expect(listValues(message).filter((value) => !isKept(value))).toEqual([])
  })
})

/** Names of roles and kinds, which the reader replaces with its own, and marks without a content. */
const NAMES = new Set<unknown>([
  ...['user', 'assistant', 'model', 'human', 'ai', 'tool', 'function', 'system', 'developer', 'chat', 'CHATBOT'],
  ...['Label', 'willContinue'],
  ...['constructor', 'langchain', 'schema', 'messages', 'HumanMessage', 'AIMessageChunk', 'ChatMessage', 'message'],
  ...['step-start', ''],
])

/** Members that say what a block is, in which state, or where a piece of it belongs: the kind of a part tells it. */
const KINDS = new Set([
  'lc',
  'type',
  'block_type',
  'status',
  'state',
  'outcome',
  'modality',
  'content_type',
  '$type',
  'jsonPath',
])

/** All texts and numbers within a value. @param isRead  whether the value is what a reader made, where the copy of a block does not count */
function listValues(value: unknown, isRead = false): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => listValues(one, isRead))
  if (typeof value === 'object' && value !== null) {
    const skipped = (name: string) => (isRead ? name === 'raw' && 'kind' in value : KINDS.has(name))
    return Object.entries(value).flatMap(([name, one]) => (skipped(name) ? [] : listValues(one, isRead)))
  }
  return typeof value === 'string' || typeof value === 'number' ? [value] : []
}
