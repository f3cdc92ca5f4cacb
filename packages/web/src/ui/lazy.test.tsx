// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ComponentType, type ReactNode, StrictMode, Suspense } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codeRetries } from '#lib/code-failure.ts'
import { layerCode, lazyExtra, lazyPart, onApproach } from './lazy.tsx'
import { PaneBoundary } from './states.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

describe.each([
  ['', ({ children }: { children: ReactNode }) => children],
  [' in strict mode', StrictMode],
])('a part whose code is missing%s', (_, Mode) => {
  // React prints the errors that a boundary has caught.
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined))

  const load = vi.fn<() => Promise<ComponentType>>()
  async function renderPart() {
    load.mockReset().mockRejectedValue(new Error('The code of this page could not be loaded.'))
    const Part = lazyPart(load)
    const page = (
      <Mode>
        <PaneBoundary title="Could not show this run">
          <Suspense fallback="Loading">
            <Part />
          </Suspense>
        </PaneBoundary>
      </Mode>
    )
    await act(async () => render(page))
  }
  const findFailure = () => screen.findByText('Could not show this run')
  const answer = () => load.mockResolvedValue(() => <p>The run</p>)

  it('shows the error after one request', async () => {
    await renderPart()
    await findFailure()
    expect(load).toHaveBeenCalledOnce()
  })

  it('requests the code again by Retry, as often as needed', async () => {
    await renderPart()
    await findFailure()
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
    await findFailure()
    expect(load).toHaveBeenCalledTimes(2)
    answer()
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByText('The run')
    expect(load).toHaveBeenCalledTimes(3)
  })

  it('requests the code again when the server answers', async () => {
    await renderPart()
    await findFailure()
    answer()
    await act(async () => codeRetries.write(codeRetries.read() + 1))
    await screen.findByText('The run')
  })
})

it('a part that was loaded before is rendered at once', async () => {
  const Part = lazyPart(async () => () => <p>The run</p>)
  await act(async () => Part.preload())
  render(
    <Suspense fallback="Loading">
      <Part />
    </Suspense>,
  )
  expect(screen.getByText('The run')).toBeDefined()
})

describe('an optional part whose code is missing', () => {
  const Plain = ({ text }: { text: string }) => <textarea aria-label="Text" defaultValue={text} />
  const Colored = ({ text }: { text: string }) => <p>Colored {text}</p>
  const load = vi.fn<() => Promise<ComponentType<{ text: string }>>>()
  const serverAnswers = () => act(async () => codeRetries.write(codeRetries.read() + 1))

  async function renderPart() {
    load.mockReset().mockRejectedValue(new Error('The code of this page could not be loaded.'))
    const Part = lazyExtra(load, Plain)
    await act(async () =>
      render(
        <Suspense fallback="Loading">
          <Part text="one" />
          <button type="button">Save</button>
        </Suspense>,
      ),
    )
  }

  it('shows its replacement, and the part when the server answers', async () => {
    await renderPart()
    expect(screen.getByRole('textbox', { name: 'Text' })).toBeDefined()
    load.mockResolvedValue(Colored)
    await serverAnswers()
    expect(screen.getByText('Colored one')).toBeDefined()
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('keeps its replacement while the code is still missing', async () => {
    await renderPart()
    await serverAnswers()
    expect(screen.getByRole('textbox', { name: 'Text' })).toBeDefined()
    load.mockResolvedValue(Colored)
    await serverAnswers()
    expect(screen.getByText('Colored one')).toBeDefined()
  })

  it('keeps its replacement while the user types in it', async () => {
    await renderPart()
    await userEvent.type(screen.getByRole('textbox', { name: 'Text' }), ' and two')
    load.mockResolvedValue(Colored)
    await serverAnswers()
    expect(screen.getByDisplayValue('one and two')).toBe(document.activeElement)
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Colored one')
  })
})

it('an optional part that was loaded before is rendered at once', async () => {
  const Part = lazyExtra(async () => () => <p>The tree</p>)
  await act(async () => Part.preload())
  render(
    <Suspense fallback="Loading">
      <Part />
    </Suspense>,
  )
  expect(screen.getByText('The tree')).toBeDefined()
})

describe('code that is loaded ahead of its use', () => {
  afterEach(() => vi.useRealTimers())

  it('is requested every few seconds while the server is away, or when it answers', async () => {
    vi.useFakeTimers()
    const load = vi.fn<() => Promise<ComponentType>>().mockRejectedValue(new Error('The server is away.'))
    const { preload } = layerCode(load)
    const move = async () => {
      for (let at = 0; at < 20; at++) await preload()
    }
    await move()
    expect(load).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(3_100)
    await move()
    expect(load).toHaveBeenCalledTimes(2)
    codeRetries.write(codeRetries.read() + 1)
    await move()
    expect(load).toHaveBeenCalledTimes(3)
  })

  it.each([
    ['an optional part', lazyExtra],
    ['a part', lazyPart],
  ])('is requested once by all moves of a pointer over the control of %s', async (_, lazyCode) => {
    const load = vi.fn<() => Promise<ComponentType>>().mockRejectedValue(new Error('The server is away.'))
    render(<button type="button" {...onApproach(lazyCode(load).preload)} />)
    for (let at = 0; at < 5; at++) await act(async () => fireEvent.pointerMove(screen.getByRole('button')))
    expect(load).toHaveBeenCalledTimes(1)
  })

  it('is requested by its use although it was just missing', async () => {
    const load = vi.fn<() => Promise<ComponentType>>().mockRejectedValue(new Error('The server is away.'))
    const code = layerCode(load)
    await code.preload()
    load.mockResolvedValue(() => null)
    await code.load()
    expect(code.current).toBeDefined()
  })
})
