// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import type { RunDocument } from '#features/traces/queries.ts'
import { renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { openJson } from '#lib/json/json-host.ts'
import { ErrorTab } from './error-tab.tsx'

vi.mock('@tanstack/react-router', () => ({ Link: 'a', useParams: () => ({}) }))

afterEach(cleanup)

const onInOut = vi.fn()

async function renderFailed(inputs: unknown, outputs: unknown, isLarge = false) {
  const json = await openJson(new TextEncoder().encode(JSON.stringify({ id: 'a', inputs, outputs })).buffer)
  const run = { id: 'a', trace_id: 'a', error: 'ValueError: no such order', events: null }
  const payload = isLarge ? undefined : { inputs, outputs }
  const document = { run, json, payload, readAt: 0 } as unknown as RunDocument
  renderWithQueries(<ErrorTab document={document} share={undefined} onInOut={onInOut} />)
}

it('a failed run shows its error, and below it the messages it was given', async () => {
  await renderFailed({ messages: [{ role: 'user', content: 'Where is my order?' }] }, null)
  const error = screen.getByRole('region', { name: 'Error' })
  const question = await screen.findByText('Where is my order?')
  expect(error.compareDocumentPosition(question)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
})

it('a failed run shows inputs that are not messages as JSON, and what it returned before', async () => {
  await renderFailed({ order: { id: 7 } }, { steps: 2 })
  expect(screen.getByRole('region', { name: 'Input' }).textContent).toContain('"order"')
  expect(screen.getByRole('region', { name: 'Output' }).textContent).toContain('"steps": 2')
})

it('a failed run with a large payload leads to it', async () => {
  await renderFailed({ order: 7 }, null, true)
  await userEvent.click(screen.getByRole('button', { name: 'Show inputs and outputs' }))
  expect(onInOut).toHaveBeenCalledOnce()
})
