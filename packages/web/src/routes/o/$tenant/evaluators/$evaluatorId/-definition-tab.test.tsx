// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { SavedEvaluator, SavedEvaluatorVersion } from '@touchstone/sdk'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderOnPage } from '#data/testing/fake-api.tsx'
import { Toasts } from '#ui/toast.tsx'
import { DefinitionTab } from './-definition-tab.tsx'

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

/** The tab of version 1, and a button after which a second version has been read. */
async function open(save: () => Response) {
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
  it('keeps what is typed, and why it was refused, when a newer version is read', async () => {
    const { keys, saves, refetch } = await open(() => json({ detail: 'The newest version is 2.' }, 409))
    await userEvent.type(keys, ', other')
    await userEvent.click(screen.getByRole('button', { name: 'Save version 2' }))
    await screen.findByText(/Another version was saved meanwhile/)
    await refetch()
    expect(keys.value).toBe('first, other')
    screen.getByText(/Another version was saved meanwhile/)
    // A second try does not overwrite the version of another person either.
    await userEvent.click(screen.getByRole('button', { name: 'Save version 2' }))
    await waitFor(() => expect(saves()).toHaveLength(2))
    for (const body of saves()) expect(body).toMatchObject({ expected_version: 1 })
    await waitFor(() => screen.getByRole('button', { name: 'Save version 2' }))
    await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
    expect(keys.value).toBe('second')
    expect(screen.queryByText(/Another version was saved meanwhile/)).toBeNull()
  })

  it('shows a newer version at once where nothing was typed', async () => {
    const { keys, refetch } = await open(() => json({}))
    await refetch()
    expect(keys.value).toBe('second')
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
