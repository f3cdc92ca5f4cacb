// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RunDocument } from '#features/traces/queries.ts'
import { type JsonHost, openJson } from '#lib/json/json-host.ts'
import { PayloadRest } from './payload-rest.tsx'

afterEach(cleanup)

/** A run whose document is read by a worker, as large ones are. */
async function renderRest(inputs: string, isOpen: boolean) {
  const { api: _, ...host } = await openJson(new TextEncoder().encode(`{"id":"a","inputs":${inputs}}`).buffer)
  const call = vi.fn(host.call)
  const json: JsonHost = { ...host, call: call as JsonHost['call'] }
  const document = { run: { id: 'a' }, json, payload: undefined, readAt: 0 } as unknown as RunDocument
  const rest = { isWhole: false, readFields: ['messages'], otherFields: ['seed'] }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PayloadRest document={document} side="inputs" rest={rest} isOpen={isOpen} />
    </QueryClientProvider>,
  )
  return call
}

describe('the other fields of a large run', () => {
  it('are read by the worker when their fold is opened', async () => {
    const call = await renderRest('{"messages":[1],"seed":12345678901234567890}', false)
    expect(call).not.toHaveBeenCalled()
    await userEvent.click(screen.getByRole('button', { name: /Other input fields/ }))
    expect(await screen.findByText(/12345678901234567890/)).toBeTruthy()
    expect(call.mock.calls.map(([method]) => method)).toEqual(['indentedText'])
    expect(screen.queryByText(/messages/)).toBeNull()
  })

  it('can be copied once they are read', async () => {
    await renderRest('{"messages":[1],"seed":7}', true)
    expect(await screen.findByRole('button', { name: 'Copy other input fields' })).toBeTruthy()
  })
})
