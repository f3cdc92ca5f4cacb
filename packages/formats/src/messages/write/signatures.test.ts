import { describe, expect, it } from 'vitest'
import type { JsonRecord } from '../../json/guards.ts'
import type { Message, Signer } from '../model.ts'
import { readMessage } from '../read/read-message.ts'
import { writeAnthropic } from './anthropic.ts'
import { writeGemini } from './gemini.ts'
import { writeOpenaiChat } from './openai-chat.ts'
import { writeOpenaiResponses } from './openai-responses.ts'

const thought = (more: JsonRecord) => ({ type: 'reasoning', text: 'Hm', ...more })
const call = (more: JsonRecord) => ({ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {}, ...more })

/** A block with a proof, and the API that takes it. */
const SIGNED: readonly (readonly [shape: string, block: JsonRecord, takenBy: Signer])[] = [
  ['Anthropic itself', { type: 'thinking', thinking: 'Hm', signature: 'proof' }, 'anthropic'],
  ['Anthropic, of the AI SDK', thought({ providerMetadata: { anthropic: { signature: 'proof' } } }), 'anthropic'],
  ['Anthropic, sent by the AI SDK', thought({ providerOptions: { anthropic: { signature: 'proof' } } }), 'anthropic'],
  ['Bedrock, of the AI SDK', thought({ providerMetadata: { bedrock: { signature: 'proof' } } }), 'anthropic'],
  ['Gemini itself', thought({ thoughtSignature: 'proof' }), 'gemini'],
  ['Gemini, of the AI SDK', thought({ providerMetadata: { google: { thoughtSignature: 'proof' } } }), 'gemini'],
  ['Vertex, of the AI SDK', thought({ providerOptions: { vertex: { thoughtSignature: 'proof' } } }), 'gemini'],
  ['a call of Gemini, sent', call({ providerOptions: { google: { thoughtSignature: 'proof' } } }), 'gemini'],
  ['a call of Gemini, shown', call({ callProviderMetadata: { google: { thoughtSignature: 'proof' } } }), 'gemini'],
  [
    'a text of Gemini',
    { type: 'text', text: 'Hi', providerMetadata: { google: { thoughtSignature: 'proof' } } },
    'gemini',
  ],
  [
    'OpenAI, of the AI SDK',
    thought({ providerMetadata: { openai: { reasoningEncryptedContent: 'proof' } } }),
    'openai',
  ],
  [
    'OpenAI, without a summary',
    thought({ text: '', providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'proof' } } }),
    'openai',
  ],
  ['an item of OpenAI', { type: 'reasoning', summary: [{ text: 'Hm' }], encrypted_content: 'proof' }, 'openai'],
]

const WRITERS: Readonly<Record<Signer, (message: Message) => readonly object[]>> = {
  anthropic: (message: Message) => writeAnthropic([message]).messages,
  gemini: (message: Message) => writeGemini([message]).contents,
  openai: (message: Message) => writeOpenaiResponses([message]),
}

const PROOFS: Readonly<Record<Signer, string>> = {
  anthropic: '"signature":"proof"',
  gemini: '"thoughtSignature":"proof"',
  openai: '"encrypted_content":"proof"',
}

describe('the proof of a provider', () => {
  it.each(SIGNED)('is sent to it and to no other: %s', (_shape, block, takenBy) => {
    const message = readMessage({ role: 'assistant', content: [block] })!
    for (const [name, write] of Object.entries(WRITERS)) {
      const written = JSON.stringify(write(message))
      if (name === takenBy) expect(written, name).toContain(PROOFS[takenBy])
      else expect(written, name).not.toContain('proof')
    }
  })

  it.each(SIGNED.filter(([, { type, encrypted_content: ownFormat }]) => type !== 'text' && ownFormat === undefined))(
    'is the same after a chat of OpenAI was written and read: %s',
    (_shape, block, takenBy) => {
      const message = readMessage({ role: 'assistant', content: [block] })!
      const again = writeOpenaiChat(message).map((one) => readMessage(one)!)
      expect(JSON.stringify(again.flatMap((one) => WRITERS[takenBy](one)))).toContain('proof')
    },
  )
})
