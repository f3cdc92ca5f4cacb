import type { ModelMessage } from '@touchstone/contract'
import { expect, it } from 'vitest'
import { readModelMessages } from './read-model-messages.ts'

it.each([
  ['anthropic', 'anthropic', true],
  ['openai', 'openai', true],
  ['gemini', 'gemini', true],
  ['gemini', 'anthropic', false],
  // Recorded before there was a name beside signatures.
  [undefined, 'anthropic', true],
  [undefined, 'openai', false],
] as const)('thoughts signed by %s are sent to %s: %s', (reasoning_signed_by, signer, isSent) => {
  const said: ModelMessage = {
    role: 'assistant',
    content: 'Yes',
    reasoning: 'Hm',
    reasoning_signature: 'proof',
    reasoning_signed_by,
  }
  const [message] = readModelMessages([said], { signer })
  expect(message?.parts.map(({ kind }) => kind)).toEqual(isSent ? ['reasoning', 'text'] : ['text'])
})
