// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { NotificationChannel } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { ChannelCard } from './channel-card.tsx'
import { ChannelDialog } from './channel-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const ID = '00000000-0000-4000-8000-000000000001'
const channel = {
  id: ID,
  name: 'On call',
  kind: 'slack',
  config: { kind: 'slack', url: 'https://hooks.slack.com/…WXYZ' },
  state: 'active',
  state_reason: null,
  last_success_at: null,
  last_failure_at: null,
  last_failure: null,
  failing_since: null,
  modified_at: '2026-01-01T00:00:00.000000Z',
  signing_secret: null,
  cleared_headers: [],
} as unknown as NotificationChannel

describe('the dialog of a channel', () => {
  it('creates a channel of the chosen kind', async () => {
    const calls = fakeApi({ 'POST /notification-channels': () => json(channel) })
    const onSaved = vi.fn()
    renderWithQueries(<ChannelDialog canMail onSaved={onSaved} onClose={() => undefined} />)
    const create = screen.getByRole<HTMLButtonElement>('button', { name: 'Create channel' })
    expect(create.disabled).toBe(true)
    await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'On call')
    await userEvent.type(screen.getByRole('textbox', { name: 'URL' }), 'https://hooks.slack.com/services/x')
    await userEvent.click(create)
    await waitFor(() => expect(onSaved).toHaveBeenCalled())
    expect(calls.find(({ method }) => method === 'POST')?.body).toEqual({
      name: 'On call',
      config: { kind: 'slack', url: 'https://hooks.slack.com/services/x' },
    })
  })

  it('shows no stored secret, and keeps it', async () => {
    const calls = fakeApi({ [`PATCH /notification-channels/${ID}`]: () => json(channel) })
    const onSaved = vi.fn()
    renderWithQueries(<ChannelDialog channel={channel} canMail onSaved={onSaved} onClose={() => undefined} />)
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'URL' }).value).toBe('')
    await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), ' 2')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(onSaved).toHaveBeenCalled())
    expect(calls.find(({ method }) => method === 'PATCH')?.body).toEqual({
      name: 'On call 2',
      expected_modified_at: channel.modified_at,
    })
  })
})

describe('the card of a channel', () => {
  it('shows what a receiver answered to a test', async () => {
    const answer = { status: 'failed', response_status: 404, response_text: 'no_service', error: 'It answered 404.' }
    fakeApi({ [`POST /notification-channels/${ID}/test`]: () => json(answer) })
    renderWithQueries(<ChannelCard channel={channel} isAdmin onDialog={() => undefined} />)
    await userEvent.click(screen.getByRole('button', { name: 'Send a test' }))
    expect(await screen.findByText('It answered 404.')).toBeDefined()
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toBe('no_service')
  })

  it('shows why a channel is off', () => {
    const off = { ...channel, state: 'disabled', state_reason: 'No delivery succeeded for 3 days.' } as const
    renderWithQueries(<ChannelCard channel={off} isAdmin={false} onDialog={() => undefined} />)
    expect(screen.getByText('Off. No delivery succeeded for 3 days.')).toBeDefined()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send a test' }).disabled).toBe(true)
  })
})
