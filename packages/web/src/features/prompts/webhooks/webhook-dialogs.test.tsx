// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { PromptWebhook, PromptWebhookDelivery } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { WebhookCard } from './webhook-card.tsx'
import { WebhookDialog } from './webhook-dialogs.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const WEBHOOK = '00000000-0000-4000-8000-000000000001'
const DELIVERY = '00000000-0000-4000-8000-000000000002'
const repos = ['joke', 'tone'].map((name) => ({ id: `id-of-${name}`, repo_handle: name }))
const webhook = {
  id: WEBHOOK,
  url: 'https://ci.example.com',
  headers: {},
  triggers: ['commit'],
  include_prompts: ['id-of-joke'],
  exclude_prompts: [],
} as unknown as PromptWebhook

describe('the prompts of a webhook', () => {
  it('are added by name and removed', async () => {
    const calls = fakeApi({
      'GET /repos': () => json({ repos, total: 2 }),
      [`PATCH /prompt-webhooks/${WEBHOOK}`]: () => json(webhook),
    })
    const onSaved = vi.fn()
    renderWithQueries(<WebhookDialog webhook={webhook} onSaved={onSaved} onClose={() => undefined} />)
    const only = () => screen.getByRole('list', { name: 'Only these prompts' })
    await waitFor(() => expect(within(only()).getByText('joke')).toBeDefined())
    await userEvent.type(screen.getByRole('combobox', { name: 'Never these prompts' }), 'tone')
    await userEvent.click(screen.getByRole('button', { name: 'Add to Never these prompts' }))
    await userEvent.click(within(only()).getByRole('button', { name: 'Remove joke' }))
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(onSaved).toHaveBeenCalled())
    expect(calls.find(({ method }) => method === 'PATCH')?.body).toMatchObject({
      include_prompts: [],
      exclude_prompts: ['id-of-tone'],
    })
  })
})

describe('the redelivery of an event of a tag', () => {
  const delivery = {
    id: DELIVERY,
    event: 'tag:update',
    tag_name: 'production',
    prompt_name: 'joke',
    commit_hash: '1'.repeat(64),
    status: 'delivered',
    attempts: 1,
    created_at: '2026-01-01T00:00:00.000000Z',
  } as PromptWebhookDelivery

  async function show(current: string) {
    const calls = fakeApi({
      [`GET /prompt-webhooks/${WEBHOOK}/deliveries`]: () => json({ deliveries: [delivery], total: 1 }),
      'GET /repos/-/joke/tags': () => json([{ tag_name: 'production', commit_hash: current.repeat(64) }]),
      [`POST /prompt-webhooks/${WEBHOOK}/deliveries/${DELIVERY}/redeliver`]: () => json(delivery),
    })
    renderWithQueries(<WebhookCard webhook={webhook} isAdmin onDialog={() => undefined} />)
    await userEvent.click(screen.getByText('Deliveries of the last 30 days'))
    await userEvent.click(await screen.findByRole('button', { name: /^Redeliver/ }))
    return () => calls.filter(({ method }) => method === 'POST').length
  }

  it('asks first when the tag has moved since', async () => {
    const countSent = await show('2')
    const dialog = await screen.findByRole('dialog')
    expect(dialog.textContent).toContain('production points to commit 22222222 now')
    expect(countSent()).toBe(0)
    await userEvent.click(within(dialog).getByRole('button', { name: 'Redeliver' }))
    await waitFor(() => expect(countSent()).toBe(1))
  })

  it('happens at once when the tag is where the event has it', async () => {
    const countSent = await show('1')
    await waitFor(() => expect(countSent()).toBe(1))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})
