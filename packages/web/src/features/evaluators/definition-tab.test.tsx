// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { SavedEvaluator, SavedEvaluatorVersion } from '@touchstone/sdk'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ApiCall, fakeApi, json, renderOnPage } from '#lib/api/testing/fake-api.tsx'
import { dropKeptDrafts, setDraftOwner } from '#lib/draft-owner.ts'
import { Toasts } from '#ui/toast.tsx'
import { DefinitionTab } from './definition-tab.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const ID = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
const evaluator = { id: ID, name: 'Short', description: '', kind: 'javascript' } as SavedEvaluator
const aVersion = (version: number, key: string) =>
  ({
    version,
    definition: { kind: 'javascript', source: 'function evaluate() {}', keys: [key], timeout_ms: 1000 },
  }) as SavedEvaluatorVersion

const CONFLICT = { name: 'Changed elsewhere while you were editing' }

/** The tab of version 1, and a button after which a second version has been read. */
async function open(save: (call: ApiCall) => Response) {
  const calls = fakeApi({
    'GET /me': () => json({ kind: 'person', role: 'admin' }),
    'POST /versions': save,
  })
  function Page() {
    const [newest, setNewest] = useState(aVersion(1, 'first'))
    return (
      <>
        <DefinitionTab tenant="t" evaluator={evaluator} newest={newest} />
        <button type="button" onClick={() => setNewest(aVersion(2, 'second'))}>
          Refetch
        </button>
        <Toasts />
      </>
    )
  }
  await renderOnPage(<Page />)
  const keys = await screen.findByLabelText<HTMLInputElement>('Feedback keys')
  await waitFor(() => expect(keys.closest('fieldset')?.disabled).toBe(false))
  const saves = () => calls.filter(({ method }) => method === 'POST').map(({ body }) => body)
  return { keys, saves, refetch: () => userEvent.click(screen.getByRole('button', { name: 'Refetch' })) }
}

describe('the definition of an evaluator', () => {
  it('shows both definitions when a newer version was saved elsewhere, and saves mine on top of it', async () => {
    let stored = 2
    const { keys, saves, refetch } = await open((call) => {
      const { expected_version } = call.body as { expected_version: number }
      if (expected_version !== stored) return json({ detail: 'The newest version is 2.' }, 409)
      stored += 1
      return json({ ...aVersion(stored, 'first, other'), evaluator_id: ID })
    })
    await userEvent.type(keys, ', other')
    await userEvent.click(screen.getByRole('button', { name: 'Save version 2' }))
    await screen.findByText('Could not save the version')
    await refetch()
    const conflict = screen.getByRole('alert', CONFLICT)
    expect(conflict.textContent).toMatch(/Feedback keys.*Saved meanwhile.*second.*Yours.*first, other/)
    expect(screen.queryByText('Could not save the version')).toBeNull()
    expect(keys.value).toBe('first, other')
    await userEvent.click(screen.getByRole('button', { name: 'Save mine as version 3' }))
    await screen.findByText('Saved version 3')
    expect(saves()).toMatchObject([{ expected_version: 1 }, { expected_version: 2 }])
    expect(screen.queryByRole('alert', CONFLICT)).toBeNull()
  })

  it('takes the version of another person', async () => {
    const { keys, saves, refetch } = await open(() => json({}))
    await userEvent.type(keys, ', other')
    await refetch()
    await userEvent.click(screen.getByRole('button', { name: 'Take what was saved' }))
    expect(keys.value).toBe('second')
    expect(screen.queryByRole('alert', CONFLICT)).toBeNull()
    expect(saves()).toEqual([])
  })

  it('shows a newer version at once where nothing was typed', async () => {
    const { keys, refetch } = await open(() => json({}))
    await refetch()
    expect(keys.value).toBe('second')
  })

  it('is restored after a reload, with the version that it is based on, until it is discarded', async () => {
    setDraftOwner({ userId: 'ada', workspaceId: 't' })
    const first = await open(() => json({}))
    await userEvent.type(first.keys, ', kept')
    cleanup()
    const { keys, refetch } = await open(() => json({}))
    expect(keys.value).toBe('first, kept')
    screen.getByText('Draft restored')
    await refetch()
    expect(screen.getByRole('alert', CONFLICT).textContent).toMatch(/second.*Yours.*first, kept/)
    await userEvent.click(screen.getAllByRole('button', { name: 'Discard' })[0] as HTMLElement)
    expect(keys.value).toBe('second')
    expect(screen.queryByText('Draft restored')).toBeNull()
    cleanup()
    expect((await open(() => json({}))).keys.value).toBe('first')
    dropKeptDrafts()
  })

  it('is saved as the next version, with a message', async () => {
    const { keys } = await open(() => json({ ...aVersion(2, 'other'), evaluator_id: ID }))
    await userEvent.clear(keys)
    await userEvent.type(keys, 'other')
    await userEvent.click(screen.getByRole('button', { name: 'Save version 2' }))
    await screen.findByText('Saved version 2')
    expect(keys.value).toBe('other')
    expect(screen.queryByRole('button', { name: /Save version/ })).toBeNull()
  })
})
