// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Run } from '@touchstone/contract'
import { afterEach, expect, it } from 'vitest'
import { PublicRunTags } from './run-tags.tsx'

afterEach(cleanup)

const show = (count: number) =>
  render(<PublicRunTags run={{ tags: Array.from({ length: count }, (_, index) => `tag-${index}`) } as Run} />)

it('shows four of many tags, and all on request', async () => {
  show(30)
  expect(screen.getAllByText(/^tag-/)).toHaveLength(4)
  const more = screen.getByRole('button', { name: 'Show 26 more tags' })
  expect(more.textContent).toBe('+26')
  await userEvent.click(more)
  expect(screen.getAllByText(/^tag-/)).toHaveLength(30)
})

it('shows five tags, because a button for one more needs the same space', () => {
  show(5)
  expect(screen.getAllByText(/^tag-/)).toHaveLength(5)
  expect(screen.queryByRole('button')).toBeNull()
})
