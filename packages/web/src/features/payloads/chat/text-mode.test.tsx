// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import { projectQuery } from '#features/projects/queries.ts'
import { Message } from './chat-view.tsx'
import { ProjectTextMode } from './text-mode.tsx'

afterEach(cleanup)

function aMessage(text: string, role = 'user') {
  return <Message message={{ role, parts: [{ kind: 'text', text }] }} isAnswer={false} />
}

const isText = () => screen.getByRole('radio', { name: 'Text' }).getAttribute('aria-checked')

describe('a message', () => {
  it('is Markdown at first, and text by its switch for as long as the page is open', async () => {
    const { unmount } = render(aMessage('**bold** <a>'))
    expect((await screen.findByText('bold')).localName).toBe('strong')
    await userEvent.click(screen.getByRole('radio', { name: 'Text' }))
    expect(screen.getByText('**bold** <a>')).toBeDefined()
    unmount()
    render(aMessage('**bold** <a>'))
    expect(screen.getByText('**bold** <a>')).toBeDefined()
    await userEvent.click(screen.getByRole('radio', { name: 'Markdown' }))
    expect((await screen.findByText('bold')).localName).toBe('strong')
  })

  it('is switched by keyboard', async () => {
    render(aMessage('*keys*'))
    await userEvent.tab()
    expect(document.activeElement).toBe(screen.getByRole('radio', { name: 'Markdown' }))
    await userEvent.keyboard('{ArrowRight}{Enter}')
    expect(screen.getByText('*keys*')).toBeDefined()
  })

  it('is text at first in a project that prefers it', async () => {
    const client = new QueryClient()
    client.setQueryData(projectQuery.one('p').queryKey, {
      id: 'p',
      extra: { touchstone: { message_text: 'text' } },
    } as never)
    const inProject = (text: string) => (
      <QueryClientProvider client={client}>
        <ProjectTextMode projectId="p">{aMessage(text)}</ProjectTextMode>
      </QueryClientProvider>
    )
    render(inProject('<doc>*x*</doc>'))
    expect(screen.getByText('<doc>*x*</doc>')).toBeDefined()
    expect(isText()).toBe('true')
  })

  it('is text at first when a program has colored it', () => {
    render(aMessage('\u001b[31mFAILED\u001b[0m test_a'))
    expect(isText()).toBe('true')
    expect(screen.getByText('FAILED').className).toContain('text-err')
    expect(screen.getByRole('article').textContent).toContain('FAILED test_a')
  })

  it('of a tool has no switch, and the colors of its terminal', () => {
    const result = {
      kind: 'tool_result' as const,
      parts: [{ kind: 'text' as const, text: '\u001b[32mok\u001b[0m <x>' }],
    }
    render(<Message message={{ role: 'tool', parts: [result] }} isAnswer={false} />)
    expect(screen.queryByRole('radiogroup')).toBeNull()
    expect(screen.getByText('ok').className).toContain('text-ok')
    expect(screen.getByRole('article').textContent).toContain('ok <x>')
  })
})
