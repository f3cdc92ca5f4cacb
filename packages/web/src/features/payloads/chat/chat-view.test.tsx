// @vitest-environment happy-dom

import { cleanup, render, screen, within } from '@testing-library/react'
import { readConversation } from '@touchstone/formats/messages'
import { afterEach, expect, it } from 'vitest'
import { ChatView } from './chat-view.tsx'

afterEach(cleanup)

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Shows the output of a run. */
function show(outputs: object, inputs: object = {}) {
  render(<ChatView conversation={readConversation(inputs, outputs)!} />)
}

it('shows an image that the model made', () => {
  show({ output: [{ type: 'image_generation_call', id: 'ig', result: PNG, output_format: 'png' }] })
  expect(screen.getByRole('img', { name: 'generated image' }).getAttribute('src')).toBe(`data:image/png;base64,${PNG}`)
})

it('shows sources below the text, with links to pages only', () => {
  const annotations = [
    { type: 'url_citation', url: 'https://weather.example/oslo', title: 'Oslo', start_index: 0, end_index: 3 },
    { type: 'url_citation', url: 'javascript:alert(1)', title: 'Bad', start_index: 0, end_index: 3 },
  ]
  show({
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '3 degrees.', annotations }] },
    ],
  })
  const sources = within(screen.getByRole('region', { name: 'Sources' }))
  expect(sources.getByRole('link', { name: 'Oslo' }).getAttribute('href')).toBe('https://weather.example/oslo')
  expect(sources.getByText('weather.example')).toBeDefined()
  expect(sources.getAllByRole('link')).toHaveLength(1)
  expect(sources.getByText('Bad')).toBeDefined()
})

it('shows the words that an answer cites', () => {
  const citations = [{ type: 'char_location', cited_text: 'green <grass>', document_title: 'Grass', document_index: 0 }]
  show({ role: 'assistant', content: [{ type: 'text', text: 'It is green.', citations }] })
  expect(screen.getByText('green <grass>').localName).toBe('q')
})

it('shows the text of a document and the words of an audio', () => {
  const source = { type: 'text', media_type: 'text/plain', data: 'The grass is green.' }
  const voice = { id: 'a', data: 'UklGRiQIAABXQVZF', transcript: 'Hello there' }
  show(
    { choices: [{ message: { role: 'assistant', content: null, audio: voice } }] },
    { messages: [{ role: 'user', content: [{ type: 'document', title: 'Grass', source }] }] },
  )
  expect(screen.getByText('The grass is green.')).toBeDefined()
  expect(screen.getByText('Hello there')).toBeDefined()
  expect(document.querySelector('audio')?.getAttribute('src')).toBe('data:audio/wav;base64,UklGRiQIAABXQVZF')
})

it('shows a tool that the provider ran, code and hidden reasoning as what they are', async () => {
  show({
    output: [
      { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'gAAA' },
      { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'Oslo' } },
      { type: 'code_interpreter_call', id: 'ci', code: 'print(3)', outputs: [{ type: 'logs', logs: '3' }] },
    ],
  })
  expect(screen.getByText('Reasoning, hidden by the provider')).toBeDefined()
  expect(screen.getByRole('region', { name: 'Tool call web_search' }).textContent).toContain('run by the provider')
  expect(screen.getByRole('region', { name: 'Code that the provider ran' }).textContent).toContain('print(3)')
})

it('shows all digits of an argument', () => {
  const call = { id: 'c', type: 'function', function: { name: 'find', arguments: '{"order_id": 107505301260286111}' } }
  show({ choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] })
  expect(screen.getByRole('region', { name: 'Tool call find' }).textContent).toContain('107505301260286111')
})

it('shows parallel calls with the result of each', () => {
  const calls = ['a', 'b'].map((id) => ({ toolUse: { toolUseId: id, name: 'look', input: { at: id } } }))
  const results = ['b', 'a'].map((id) => ({ toolResult: { toolUseId: id, content: [{ text: `result of ${id}` }] } }))
  show(
    { output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } } },
    {
      messages: [
        { role: 'assistant', content: calls },
        { role: 'user', content: results },
      ],
    },
  )
  const [first, second] = screen.getAllByRole('region', { name: 'Tool call look' })
  expect(first?.textContent).toContain('result of a')
  expect(second?.textContent).toContain('result of b')
})
