// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { QueueItemRow } from './queries.ts'
import { ItemCard } from './queue-columns.tsx'

afterEach(cleanup)

it('marks the input of a model call that stands for the one of the run', () => {
  const show = (derived_payloads: object | undefined) =>
    render(
      <ItemCard
        row={
          {
            item: { completed_by: [], reserved_by: [] },
            run: { name: 'agent', inputs_preview: 'asked', derived_payloads },
          } as unknown as QueueItemRow
        }
      />,
    )
  show({ inputs: 'first', outputs: null })
  expect(screen.getByTitle(/recorded none/).textContent).toBe('↳ From its first model call: asked')
  cleanup()
  show(undefined)
  expect(screen.queryByTitle(/recorded none/)).toBeNull()
})
