// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { DashboardChart } from '@touchstone/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dropKeptDrafts, setDraftOwner } from '#lib/draft-owner.ts'
import { ChartDialog } from './chart-dialog.tsx'

beforeEach(() => setDraftOwner({ userId: 'ada', workspaceId: 'acme' }))
afterEach(() => {
  cleanup()
  dropKeptDrafts()
})

const CHART: DashboardChart = { id: 'a', metric: 'latency', scope: 'traces', kind: 'line', size: 'small', title: 'Old' }

function open(chart: DashboardChart, isNew = false) {
  const onSave = vi.fn<(chart: DashboardChart) => void>()
  const dialog = { chart, isNew, feedbackKeys: [], onSave, onClose: () => {} }
  render(<ChartDialog {...dialog} keptAs={isNew ? 'chart new' : 'chart a'} />)
  return onSave
}

async function rename(title: string) {
  const field = screen.getByLabelText('Title')
  await userEvent.clear(field)
  await userEvent.type(field, title)
}

const getButton = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

describe('a restored draft of a chart', () => {
  it.each([
    ['Keep mine', 'Mine'],
    ['Take what was saved', 'Theirs'],
  ])('that was saved elsewhere meanwhile is saved after the choice: %s', async (choice, title) => {
    open(CHART)
    await rename('Mine')
    cleanup()
    const onSave = open({ ...CHART, title: 'Theirs', kind: 'bar' })
    expect(screen.getByRole('alert').textContent).toMatch(/Another tab or user has saved this chart.*Theirs.*Mine/)
    expect(getButton('Save').disabled).toBe(true)
    await userEvent.click(getButton(choice))
    expect(screen.queryByRole('alert')).toBeNull()
    await userEvent.click(getButton('Save'))
    expect(onSave).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: 'a', title, kind: 'bar' }))
  })

  it('of another field, or of a new chart, is saved at once', async () => {
    open(CHART)
    await rename('Mine')
    cleanup()
    const onSave = open({ ...CHART, kind: 'bar' })
    expect(screen.queryByRole('alert')).toBeNull()
    await userEvent.click(getButton('Save'))
    expect(onSave).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ title: 'Mine', kind: 'bar' }))
    cleanup()

    open(CHART, true)
    await rename('Mine')
    cleanup()
    open({ ...CHART, id: 'b', title: 'Other' }, true)
    expect(screen.queryByRole('alert')).toBeNull()
    expect(getButton('Add').disabled).toBe(false)
  })
})
