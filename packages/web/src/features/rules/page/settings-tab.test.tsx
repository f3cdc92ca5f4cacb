// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Rule } from '@touchstone/sdk'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ApiCall, fakeApi, json, renderOnPage } from '#lib/api/testing/fake-api.tsx'
import { dropKeptDrafts, setDraftOwner } from '#lib/draft-owner.ts'
import { Toasts } from '#ui/toast.tsx'
import { SettingsTab } from './settings-tab.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const ID = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
const aRule = (version: number, rate: number, name = 'Judge') =>
  ({
    ...{ id: ID, name, description: '', is_enabled: true, version, blocked: null },
    modified_at: `2026-11-28T12:00:0${version}.000000Z`,
    definition: {
      ...{ target: 'run', project_ids: ['p'], sampling_rate: rate, sampling_seed: '', after_rule_ids: [] },
      ...{ quiet_seconds: 10, idle_minutes: 10, notice_channel_ids: [], actions: [{ kind: 'tag', tags: ['seen'] }] },
    },
  }) as unknown as Rule

const CONFLICT = { name: 'Changed elsewhere while you were editing' }

/** The tab of version 1, and a button after which a second version has been read. */
async function open(save: (call: ApiCall) => Response) {
  const calls = fakeApi({
    'GET /me': () => json({ kind: 'person', role: 'admin' }),
    'GET /sessions': () => json([]),
    'GET /datasets': () => json([]),
    'GET /evaluators': () => json({ evaluators: [], total: 0 }),
    'GET /annotation-queues': () => json([]),
    'POST /rules/dry-run': () => json({ detail: 'not counted here' }, 400),
    [`PATCH /rules/${ID}`]: save,
  })
  function Page() {
    const [rule, setRule] = useState(aRule(1, 0.1))
    return (
      <>
        <SettingsTab tenant="t" rule={rule} />
        <button type="button" onClick={() => setRule(aRule(2, 0.2))}>
          Refetch
        </button>
        <Toasts />
      </>
    )
  }
  await renderOnPage(<Page />)
  const percent = await screen.findByLabelText<HTMLInputElement>('Percent of the traces')
  await waitFor(() => expect(percent.closest('fieldset')?.disabled).toBe(false))
  const saves = () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
  return { percent, saves, refetch: () => userEvent.click(screen.getByRole('button', { name: 'Refetch' })) }
}

async function type(field: HTMLInputElement, text: string) {
  await userEvent.clear(field)
  await userEvent.type(field, text)
}

describe('the settings of a rule', () => {
  it('save a changed definition as the next version, and say so', async () => {
    const { percent, saves } = await open(() => json(aRule(2, 0.5)))
    await type(percent, '50')
    await userEvent.click(screen.getByRole('button', { name: 'Save version 2' }))
    await screen.findByText('Saved version 2')
    expect(saves()).toMatchObject([{ expected_version: 1, definition: { sampling_rate: 0.5 } }])
  })

  it('save a new name without a new version', async () => {
    const { saves } = await open(() => json(aRule(1, 0.1, 'Judge all')))
    await userEvent.type(screen.getByLabelText('Name'), ' all')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Saved Judge all')
    expect(saves()).toEqual([{ name: 'Judge all' }])
  })

  it('show both definitions when a newer version was saved elsewhere, and save mine on top of it', async () => {
    const { percent, saves, refetch } = await open((call) => {
      const { expected_version } = call.body as { expected_version: number }
      return expected_version === 2 ? json(aRule(3, 0.5)) : json({ detail: 'The newest version is 2.' }, 409)
    })
    await type(percent, '50')
    await refetch()
    const conflict = screen.getByRole('alert', CONFLICT)
    expect(conflict.textContent).toMatch(/Percent of the traces.*Saved meanwhile.*20.*Yours.*50/)
    await userEvent.click(screen.getByRole('button', { name: 'Save mine as version 3' }))
    await screen.findByText('Saved version 3')
    expect(saves()).toMatchObject([{ expected_version: 2 }])
  })

  it('take the version of another person', async () => {
    const { percent, saves, refetch } = await open(() => json({}))
    await type(percent, '50')
    await refetch()
    await userEvent.click(screen.getByRole('button', { name: 'Take what was saved' }))
    expect(percent.value).toBe('20')
    expect(saves()).toEqual([])
  })

  it('restore what was typed after a reload, until it is discarded', async () => {
    setDraftOwner({ userId: 'ada', workspaceId: 't' })
    await type((await open(() => json({}))).percent, '75')
    cleanup()
    const { percent } = await open(() => json({}))
    expect(percent.value).toBe('75')
    screen.getByText('Draft restored')
    await userEvent.click(screen.getAllByRole('button', { name: 'Discard' })[0] as HTMLElement)
    expect(percent.value).toBe('10')
    dropKeptDrafts()
  })

  it('refuse an incomplete definition at its field', async () => {
    const { percent, saves } = await open(() => json({}))
    await type(percent, '101')
    await userEvent.click(screen.getByRole('button', { name: 'Save version 2' }))
    screen.getByText('Enter a number from 0 to 100.')
    expect(saves()).toEqual([])
  })
})
