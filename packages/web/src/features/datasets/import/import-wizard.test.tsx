// @vitest-environment happy-dom
import { createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Dataset } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { chooseOption } from '#ui/testing/choose-option.ts'
import { readKnownKeys } from '../file-queries.ts'
import { ImportSession } from './import-session.ts'
import { ImportWizard } from './import-wizard.tsx'

vi.mock('../file-queries.ts', { spy: true })
// The session runs in the same thread, instead of a worker.
vi.mock('./import-host.ts', () => ({
  openImport: (file: File) => {
    const session = new ImportSession(file)
    const call = (method: 'preview', ...args: Parameters<ImportSession['preview']>) => session[method](...args)
    return { file, call, close() {} }
  },
}))

afterEach(cleanup)

async function open() {
  vi.mocked(readKnownKeys).mockResolvedValue({ inputs: [], outputs: [] })
  const onClose = vi.fn()
  const dataset = { id: 'dataset', name: 'qa-golden' } as Dataset
  const file = new File(['question,answer\nWhy?,Because\n'], 'faq.csv')
  const rootRoute = createRootRoute()
  const wizard = createRoute({
    getParentRoute: () => rootRoute,
    path: '/import',
    component: () => <ImportWizard dataset={dataset} file={file} onClose={onClose} />,
  })
  const start = createRoute({ getParentRoute: () => rootRoute, path: '/', component: () => <h1>Start</h1> })
  window.history.replaceState(null, '', '/')
  const router = createRouter({ routeTree: rootRoute.addChildren([wizard, start]) })
  renderWithQueries(<RouterProvider router={router as never} />)
  act(() => router.history.push('/import'))
  await screen.findByLabelText('question becomes')
  return onClose
}

const asksBeforeReload = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

describe('closing an import', () => {
  it('does not ask while there is nothing to lose', async () => {
    const onClose = await open()
    expect(asksBeforeReload()).toBe(false)
    await userEvent.keyboard('{Escape}')
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('asks first when columns were mapped', async () => {
    const onClose = await open()
    await chooseOption('answer becomes', 'Metadata')
    expect(asksBeforeReload()).toBe(true)
    await userEvent.keyboard('{Escape}')
    screen.getByRole('dialog', { name: 'Close the import?' })
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(onClose).not.toHaveBeenCalled()
    expect(screen.getByLabelText('answer becomes').textContent).toBe('Metadata')

    await userEvent.keyboard('{Escape}')
    await userEvent.click(screen.getByRole('button', { name: 'Close import' }))
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('asks first when the browser goes back, and loses nothing when the user stays', async () => {
    await open()
    await chooseOption('answer becomes', 'Metadata')
    act(() => window.history.back())
    await screen.findByRole('dialog', { name: 'Leave the import?' })
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.getByLabelText('answer becomes').textContent).toBe('Metadata')

    act(() => window.history.back())
    await userEvent.click(await screen.findByRole('button', { name: 'Leave' }))
    await screen.findByRole('heading', { name: 'Start' })
  })
})
