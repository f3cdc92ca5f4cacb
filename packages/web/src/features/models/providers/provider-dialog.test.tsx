// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ModelProvider } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { ProviderDialog } from './provider-dialog.tsx'
import {
  losesKey,
  newProviderDraft,
  toProvider,
  toProviderDraft,
  validateProviderDraft,
  withKind,
  withPreset,
} from './provider-draft.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const stored: ModelProvider = {
  id: '0197aaaa-0000-7000-8000-000000000000',
  tenant_id: 't',
  name: 'Gateway',
  kind: 'openai-chat',
  base_url: 'https://models.example.org/v1',
  key_header: 'authorization',
  headers: { 'x-team': '********' },
  provider: null,
  models: ['a', 'b'],
  key_set: true,
  key_last_four: 'LAST',
  key_id: 'k',
  key_readable: true,
  created_at: '',
  updated_at: '',
  key_cleared: false,
  cleared_headers: [],
}

describe('the form of a provider', () => {
  it('fills in a preset and keeps what was typed', () => {
    const typed = { ...newProviderDraft('openai'), key: 'secret', name: 'Mine' }
    const changed = withPreset(typed, 'anthropic')
    expect(changed).toMatchObject({ kind: 'anthropic-messages', keyHeader: 'x-api-key', key: 'secret', name: 'Mine' })
    expect(withPreset(newProviderDraft('openai'), 'groq').name).toBe('Groq')
  })

  it('changes the header with the format, unless it is another one on purpose', () => {
    const draft = newProviderDraft('openai')
    expect(withKind(draft, 'gemini').keyHeader).toBe('x-goog-api-key')
    expect(withKind({ ...draft, keyHeader: 'api-key' }, 'gemini').keyHeader).toBe('api-key')
  })

  it.each([
    [{ name: ' ' }, 'name'],
    [{ baseUrl: 'models.example.org' }, 'baseUrl'],
    [{ baseUrl: 'https://{resource}.openai.azure.com' }, 'baseUrl'],
    [{ headers: 'no colon' }, 'headers'],
    [{ key: 'two words' }, 'key'],
  ])('refuses %j', (change, field) => {
    expect(Object.keys(validateProviderDraft({ ...newProviderDraft('openai'), ...change }))).toEqual([field])
  })

  it.each([
    [{}, false],
    [{ name: 'Other', models: 'c' }, false],
    [{ baseUrl: 'https://models.example.org/v1/' }, false],
    [{ baseUrl: 'https://other.example.org/v1' }, true],
    [{ kind: 'gemini' as const }, true],
    [{ headers: 'x-team: red' }, true],
    [{ baseUrl: 'https://other.example.org/v1', key: 'new' }, false],
  ])('knows when %j removes the key: %s', (change, isLost) => {
    expect(losesKey(stored, { ...toProviderDraft(stored), ...change })).toBe(isLost)
  })

  it('leaves the key out when the field is empty', () => {
    expect(toProvider(toProviderDraft(stored))).not.toHaveProperty('key')
    expect(toProvider(toProviderDraft(stored))).toMatchObject({ headers: { 'x-team': '********' }, models: ['a', 'b'] })
  })
})

describe('the dialog of a provider', () => {
  it('adds a provider of a preset', async () => {
    const calls = fakeApi({ 'POST /model-providers': () => json(stored) })
    const onClose = vi.fn()
    renderWithQueries(<ProviderDialog onClose={onClose} />)
    await userEvent.type(screen.getByLabelText('API key'), 'sk-1')
    await userEvent.click(screen.getByRole('button', { name: 'Add provider' }))
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(calls[0]?.body).toEqual({
      name: 'OpenAI',
      kind: 'openai-responses',
      base_url: 'https://api.openai.com/v1',
      key_header: 'authorization',
      headers: {},
      key: 'sk-1',
      provider: 'openai',
      models: [],
    })
  })

  it('warns before a change removes the key', async () => {
    renderWithQueries(<ProviderDialog provider={stored} onClose={() => undefined} />)
    const key = screen.getByLabelText('API key')
    expect(key.getAttribute('placeholder')).toBe('Unchanged, ends in LAST')
    expect(screen.queryByText(/It is removed unless/)).toBeNull()
    await userEvent.type(screen.getByLabelText('Base URL'), '/other')
    screen.getByText(/It is removed unless you enter it again/)
    await userEvent.type(key, 'sk-2')
    expect(screen.queryByText(/It is removed unless/)).toBeNull()
  })

  it('sends a new key to no address that the user has not seen', async () => {
    let now = stored
    const bodies: Record<string, unknown>[] = []
    fakeApi({
      [`GET /model-providers/${stored.id}`]: () => json(now),
      [`PATCH /model-providers/${stored.id}`]: ({ body }) => {
        const { expected } = body as { expected: { base_url?: string } }
        const detail = [{ loc: ['body', 'base_url'], msg: 'It was changed.', type: 'changed' }]
        if (expected.base_url !== undefined && expected.base_url !== now.base_url) return json({ detail }, 409)
        bodies.push(body as Record<string, unknown>)
        return json(now)
      },
    })
    const onClose = vi.fn()
    renderWithQueries(<ProviderDialog provider={stored} onClose={onClose} />)
    await userEvent.type(screen.getByLabelText('API key'), 'sk-2')
    now = { ...stored, base_url: 'https://elsewhere.example.org' }
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText(/was changed elsewhere meanwhile/)
    expect(screen.getByLabelText<HTMLInputElement>('Base URL').value).toBe(now.base_url)
    expect(bodies).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(bodies).toEqual([{ key: 'sk-2', expected: { base_url: now.base_url, kind: stored.kind } }])
  })

  it('tests what is typed, and shows the words of the provider', async () => {
    const problem = {
      code: 'unauthorized',
      message: 'models.example.org rejects the key (401).',
      provider_message: 'Incorrect API key provided.',
      status: 401,
      offending_parameter: null,
      retry_after_seconds: null,
      retry: false,
    }
    const reply = { status: 401, headers: {}, body: '{"error":{}}', truncated: false }
    const steps = [{ step: 'models', latency_ms: 12, problem, reply }]
    const calls = fakeApi({ 'POST /model-providers/test': () => json({ works: false, problem, steps, models: [] }) })
    renderWithQueries(<ProviderDialog provider={stored} onClose={() => undefined} />)
    await userEvent.click(screen.getByRole('button', { name: 'Test' }))
    await screen.findByText('Incorrect API key provided.')
    screen.getByText(problem.message)
    expect(calls[0]?.body).toEqual({
      provider: {
        id: stored.id,
        kind: 'openai-chat',
        base_url: 'https://models.example.org/v1',
        key_header: 'authorization',
        headers: { 'x-team': '********' },
      },
      model: 'a',
    })
    await userEvent.click(screen.getByRole('button', { name: 'Raw answer (HTTP 401)' }))
    screen.getByText('{"error":{}}')
  })
})
