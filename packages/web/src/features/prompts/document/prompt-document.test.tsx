// @vitest-environment happy-dom

import { cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { readManifest } from '@touchstone/contract/prompt-manifest'
import { afterEach, describe, expect, it } from 'vitest'
import { PromptDocumentView } from './prompt-document.tsx'

afterEach(cleanup)

const lc = (id: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', id], kwargs })
const template = (text: string, template_format = 'f-string') =>
  lc('PromptTemplate', { template: text, template_format })
const system = (text: string, format?: string) => lc('SystemMessagePromptTemplate', { prompt: template(text, format) })

function show(manifest: unknown) {
  const read = readManifest(manifest)
  if ('problem' in read) throw new Error(read.problem)
  render(<PromptDocumentView document={read.document} />)
}

const chat = (...messages: object[]) => lc('ChatPromptTemplate', { messages })

describe('a prompt', () => {
  it('marks variables and sections in its messages, and lists what a caller must give and may give', () => {
    show(chat(system('Hi {{name}}{{#items}}{{title}}{{/items}}', 'mustache')))
    const message = screen.getByRole('article', { name: 'system' })
    expect(within(message).getByTitle('Variable name').textContent).toBe('{{name}}')
    expect(within(message).getAllByTitle('Section items')).toHaveLength(2)
    const variables = screen.getByRole('region', { name: 'Variables' })
    expect(within(variables).getByText('2 variables')).toBeDefined()
    expect(variables.textContent).toMatch(/nameitemsOptional, inside of sectionstitle$/)
  })

  it('shows places for messages, unknown messages and pictures without loading them', () => {
    const image = lc('ImagePromptTemplate', { template: { url: 'https://example.com/{id}.png' } })
    show(
      chat(
        lc('MessagesPlaceholder', { variable_name: 'history', optional: true }),
        lc('HumanMessagePromptTemplate', { prompt: [template('See'), image] }),
        lc('FewShotChatMessagePromptTemplate', { examples: ['<img src=x onerror=alert(1)>'] }),
      ),
    )
    expect(screen.getByRole('article', { name: 'Placeholder' }).textContent).toBe('Messages from history, optional')
    expect(screen.getByRole('article', { name: 'user' }).textContent).toContain('https://example.com/{id}.png')
    expect(screen.getByRole('article', { name: 'FewShotChatMessagePromptTemplate' }).textContent).toContain(
      '<img src=x',
    )
    expect(document.querySelector('img')).toBeNull()
  })

  it('shows names, answered calls, the detail of pictures and values of a message', () => {
    const image = lc('ImagePromptTemplate', { template: { url: 'https://example.com/x.png', detail: 'high' } })
    const filled = lc('PromptTemplate', { template: 'It is {day}.', partial_variables: { day: 'Monday' } })
    show(
      chat(
        lc('HumanMessagePromptTemplate', { prompt: [filled, image] }),
        lc('ToolMessage', { content: '12 degrees', tool_call_id: 'call_7', name: 'get_weather' }),
      ),
    )
    const user = screen.getByRole('article', { name: 'user' })
    expect(user.textContent).toContain('Detail high')
    expect(within(user).getByRole('region', { name: 'Values of the message' }).textContent).toContain('"day": "Monday"')
    expect(screen.getByRole('article', { name: 'tool' }).textContent).toMatch(/^toolget_weatheranswers call call_7/)
    expect(screen.getByText('None. The prompt is the same for every call.')).toBeDefined()
  })

  it('shows model, tools and schema beside the messages, without the values of secrets', async () => {
    const key = { lc: 1, type: 'secret', id: ['OPENAI_API_KEY'] }
    const bound = lc('ChatOpenAI', { model: 'gpt-5', temperature: 0, api_key: key })
    const tools = [
      { type: 'function', function: { name: 'find', description: 'Finds it', parameters: { type: 'object' } } },
    ]
    const first = lc('StructuredPrompt', { messages: [system('Hi')], schema_: { title: 'city' } })
    show(lc('RunnableSequence', { first, last: lc('RunnableBinding', { bound, kwargs: { tools } }) }))
    const model = screen.getByRole('region', { name: 'Model' })
    expect(model.textContent).toBe('ModelChatOpenAIModelgpt-5temperature0SecretsOPENAI_API_KEY')
    expect(screen.getByRole('region', { name: 'Output schema' }).textContent).toContain('"title": "city"')
    await userEvent.click(screen.getByRole('button', { name: 'Definition' }))
    expect(screen.getByRole('region', { name: 'Definition of find' }).textContent).toContain('"type": "object"')
  })

  it('draws a text of 200 kB step by step, with the number of hidden characters', async () => {
    show(template('word '.repeat(40_000)))
    const message = () => screen.getByRole('article', { name: 'prompt' }).textContent ?? ''
    expect(message().length).toBeLessThan(20_200)
    await userEvent.click(screen.getByRole('button', { name: /180,000 of 200,000 characters are hidden/ }))
    expect(message().length).toBeGreaterThan(79_000)
  })

  it('survives values that cannot be printed', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 20_000; level++) deep = [deep]
    show(chat({ id: ['Unknown'], kwargs: { deep } }))
    expect(screen.getByText(/nested too deeply/)).toBeDefined()
  })
})
