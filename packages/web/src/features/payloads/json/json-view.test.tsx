// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openJson } from '#lib/json/json-host.ts'
import { ShortcutProvider } from '#ui/shortcuts.tsx'
import { JsonView } from './json-view.tsx'

beforeEach(() => {
  // Without a layout, elements have no width; the view needs one to wrap lines.
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(600)
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(600)
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(readonly callback: ResizeObserverCallback) {}
      observe(target: Element) {
        const contentRect = { width: 600, height: 400 } as DOMRectReadOnly
        this.callback([{ target, contentRect } as ResizeObserverEntry], this as unknown as ResizeObserver)
      }
      unobserve() {}
      disconnect() {}
    },
  )
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

async function renderJson(value: unknown, onPath?: (path: string) => void) {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  const host = await openJson(bytes.buffer)
  render(
    <ShortcutProvider>
      <JsonView host={host} label="outputs" onPath={onPath} />
    </ShortcutProvider>,
  )
  await waitFor(() => expect(rows().length).toBeGreaterThan(0))
}

const rows = () => screen.queryAllByRole('treeitem').map((row) => row.textContent)

describe('JSON view', () => {
  it('opens and closes an object by a click', async () => {
    const onPath = vi.fn()
    await renderJson({ answer: 42, user: { name: 'Ada' } }, onPath)
    const before = rows()
    const user = screen.getAllByRole('treeitem').find((row) => row.textContent?.includes('user'))
    const wasOpen = user?.getAttribute('aria-expanded') === 'true'
    if (user) await userEvent.click(user)
    await waitFor(() => expect(rows().length).not.toBe(before.length))
    expect(rows().some((text) => text?.includes('Ada'))).toBe(!wasOpen)
    expect(onPath).toHaveBeenCalled()
  })

  it('gives every row a name, also the empty lines of a text', async () => {
    await renderJson({ text: 'one\n\ntwo' })
    await waitFor(() => expect(rows().length).toBeGreaterThan(3))
    expect(rows()).toContain('Empty line')
    expect(rows()).not.toContain('')
  })

  it('searches the whole document and counts the hits', async () => {
    await renderJson({ list: ['needle', 'hay', 'needle'], other: 1 })
    await userEvent.type(screen.getByRole('searchbox', { name: 'Search outputs' }), 'needle')
    await screen.findByText('2 hits')
    await userEvent.click(screen.getByRole('button', { name: 'Next hit' }))
    await screen.findByText('1 / 2 hits')
    await userEvent.keyboard('{Enter}')
    await userEvent.click(screen.getByRole('button', { name: 'Previous hit' }))
    await waitFor(() => expect(rows().some((text) => text?.includes('needle'))).toBe(true))
  })

  it('moves the cursor with the keyboard', async () => {
    await renderJson({ a: 1, b: 2, c: 3 })
    screen.getByRole('tree', { name: 'outputs' }).focus()
    await userEvent.keyboard('{End}')
    const current = () => document.getElementById(screen.getByRole('tree').getAttribute('aria-activedescendant') ?? '')
    await waitFor(() => expect(current()?.textContent).toBe(rows().at(-1)))
    await userEvent.keyboard('{Home}')
    await waitFor(() => expect(current()?.textContent).toBe(rows()[0]))
  })
})
