// @vitest-environment happy-dom
import { queryOptions } from '@tanstack/react-query'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import type { RunPayload } from '../../extra-queries.ts'
import { buildTrace } from '../../model/build-trace.ts'
import { aTraceTree } from '../../model/testing.ts'
import ThreadView from './thread-view.tsx'

afterEach(cleanup)

function renderCall(payload: Pick<RunPayload, 'inputs' | 'outputs'>) {
  const trace = buildTrace(aTraceTree([{ id: 'call', name: 'Model', run_type: 'llm' }]))
  const payloads = (ids: readonly string[]) =>
    queryOptions({
      queryKey: ['trace-payloads', undefined, '1', ids],
      queryFn: async (): Promise<RunPayload[]> => [{ id: 'call', error: null, ...payload }],
    })
  renderWithQueries(
    <ThreadView
      trace={trace}
      selected={undefined}
      matches={undefined}
      extras={{ payloads }}
      onSelect={() => undefined}
    />,
  )
}

it('a side of a model call that is not messages is shown as JSON', async () => {
  renderCall({ inputs: { messages: [{ role: 'user', content: 'Hello' }] }, outputs: { label: 3, tags: ['a'] } })
  await screen.findByText('Hello')
  expect(screen.getByRole('region', { name: 'Output' }).textContent).toContain('"label": 3')
})

it('a model call without messages is shown as JSON', async () => {
  renderCall({ inputs: { rows: [1, 2] }, outputs: { label: 3 } })
  expect((await screen.findByRole('region', { name: 'Input' })).textContent).toContain('"rows"')
  expect(screen.getByRole('region', { name: 'Output' }).textContent).toContain('"label": 3')
})

it('a model call without inputs and outputs is named as such', async () => {
  renderCall({ inputs: null, outputs: null })
  await screen.findByText('No inputs or outputs')
})
