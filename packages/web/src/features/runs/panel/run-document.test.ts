import { readConversation } from '@touchstone/formats/messages'
import { describe, expect, it } from 'vitest'
import { chooseTab } from './run-document.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const open = (inputs: unknown, outputs: unknown, run_type: 'chain' | 'llm' | 'retriever' = 'chain', error?: string) =>
  chooseTab({ run_type, error }, readConversation(inputs, outputs))

describe('the tab that a run opens with', () => {
  it.each([
    ['of the Python snippet', { name: 'Touchstone' }, { output: 'Hello, Touchstone!' }],
    ['of the TypeScript snippet', { input: 'Touchstone' }, { outputs: 'Hello, Touchstone!' }],
    ['without arguments', {}, { output: 'done' }],
    ['that is running', { question: 'Why?' }, null],
    ['with messages and an answer of another shape', { messages, model: 'm' }, { output: 3 }],
  ])('is the chat for a run %s', (_, inputs, outputs) => expect(open(inputs, outputs)).toBe('chat'))

  it.each([
    ['no text', { x: 1 }, { y: 2 }],
    ['a number as the answer', { question: 'How many?' }, { output: 3 }],
    ['two arguments', { a: 'x', b: 'y' }, { output: 'z' }],
    ['null as the answer', { name: 'x' }, { output: null }],
    ['a list', { input: [1, 2] }, { output: [3] }],
  ])('has inputs and outputs for a run with %s', (_, inputs, outputs) => expect(open(inputs, outputs)).toBe('io'))

  it('is the chat for every model run with messages, and never for a retriever', () => {
    expect(open({ prompt: 'x', n: 2 }, { text: 'y', id: 1 }, 'llm')).toBe('chat')
    expect(open({ query: 'x' }, { output: 'y' }, 'retriever')).toBe('io')
  })

  it('shows the error of a failed run', () => expect(open({ messages }, null, 'llm', 'Boom')).toBe('events'))
})
