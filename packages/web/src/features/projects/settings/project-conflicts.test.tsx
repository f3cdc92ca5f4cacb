// @vitest-environment happy-dom
import { useQuery } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import type { ComponentType } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderOnPage } from '#lib/api/testing/fake-api.tsx'
import { isSameJson } from '#lib/changes.ts'
import { projectQuery } from '../queries.ts'
import { MetadataSection } from './metadata-section.tsx'
import { ThreadsSection } from './threads-section.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const ID = '019f6d2a-0000-7000-8000-000000000003'
type Extra = { metadata?: Record<string, unknown>; touchstone?: Record<string, unknown> }

/** A section of a project whose `extra` others change, and the accepted changes. */
async function open(Section: ComponentType<{ project: Project }>, extra: Extra) {
  let stored = extra
  const changes: Extra[] = []
  fakeApi({
    [`GET /sessions/${ID}`]: () => json({ id: ID, name: 'p', extra: stored }),
    'GET /me': () => json({ kind: 'local', id: null, role: 'admin' }),
    [`PATCH /sessions/${ID}`]: ({ body }) => {
      const change = body as { extra?: Extra; removed_metadata?: string[]; expected: { extra: Extra } }
      const { metadata = {}, touchstone } = change.expected.extra
      const changed = [
        ...Object.keys(metadata).filter((key) => !isSameJson(metadata[key], stored.metadata?.[key] ?? null)),
        ...(touchstone !== undefined && !isSameJson(touchstone, stored.touchstone ?? null) ? ['touchstone'] : []),
      ]
      const detail = changed.map((key) => ({ loc: ['body', 'extra', key], msg: 'It was changed.', type: 'changed' }))
      if (changed.length > 0) return json({ detail }, 409)
      const kept = Object.entries({ ...stored.metadata, ...change.extra?.metadata })
      const removed = change.removed_metadata ?? []
      stored = {
        ...stored,
        ...change.extra,
        metadata: Object.fromEntries(kept.filter(([key]) => !removed.includes(key))),
      }
      changes.push(stored)
      return json({ id: ID, name: 'p', extra: stored })
    },
  })
  function Page() {
    const { data } = useQuery(projectQuery.one(ID))
    return data && <Section project={data} />
  }
  await renderOnPage(<Page />)
  const type = async (field: HTMLElement, text: string) => {
    await userEvent.clear(field)
    await userEvent.type(field, text)
  }
  const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
  const elsewhere = (change: Extra) => {
    stored = { ...stored, ...change }
  }
  return { changes, type, press, elsewhere, stored: () => stored }
}

const CONFLICT = { name: 'Changed elsewhere while you were editing' }

describe('thread keys that are changed elsewhere', () => {
  it('are not overwritten: both are shown, and the user keeps one', async () => {
    const { type, press, elsewhere, stored } = await open(ThreadsSection, { touchstone: { thread_keys: ['chat'] } })
    await type(await screen.findByLabelText('Metadata keys for threads'), 'mine')
    elsewhere({ touchstone: { thread_keys: ['theirs'] } })
    await press('Save')
    const conflict = await screen.findByRole('alert', CONFLICT)
    expect(conflict.textContent).toMatch(/Saved meanwhile.*theirs.*Yours.*mine/)
    expect(stored().touchstone).toEqual({ thread_keys: ['theirs'] })
    await press('Keep mine')
    await press('Save')
    await waitFor(() => expect(stored().touchstone).toEqual({ thread_keys: ['mine'] }))
  })

  it('are saved on top of another setting', async () => {
    const { type, press, elsewhere, stored } = await open(ThreadsSection, { touchstone: { thread_keys: ['chat'] } })
    await type(await screen.findByLabelText('Metadata keys for threads'), 'mine')
    elsewhere({ touchstone: { thread_keys: ['chat'], default_view: 'v' } })
    await press('Save')
    await waitFor(() => expect(stored().touchstone).toEqual({ thread_keys: ['mine'], default_view: 'v' }))
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

describe('metadata that is changed elsewhere', () => {
  it('is shown beside the edit; other keys are saved', async () => {
    const { type, press, elsewhere, stored } = await open(MetadataSection, { metadata: { a: 'x', b: 'y' } })
    await type(await screen.findByLabelText('Value of a'), 'mine')
    elsewhere({ metadata: { c: 1, a: 'x', b: 'theirs' } })
    await press('Save')
    await waitFor(() => expect(stored().metadata).toEqual({ a: 'mine', b: 'theirs', c: 1 }))

    await type(screen.getByLabelText('Value of a'), 'mine too')
    elsewhere({ metadata: { a: 'theirs', b: 'theirs' } })
    await press('Save')
    const conflict = await screen.findByRole('alert', CONFLICT)
    expect(conflict.textContent).toMatch(/a.*Saved meanwhile.*theirs.*Yours.*mine too/)
    await press('Take what was saved')
    expect(screen.getByLabelText<HTMLInputElement>('Value of a').value).toBe('theirs')
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
    expect(stored().metadata).toEqual({ a: 'theirs', b: 'theirs' })
  })

  it('may have a key that is added here too', async () => {
    const { type, press, elsewhere, stored } = await open(MetadataSection, { metadata: { gone: 1 } })
    await press('Add key')
    await type(await screen.findByLabelText('Key 2'), 'team')
    await type(screen.getByLabelText('Value of team'), 'mine')
    await press('Remove gone')
    elsewhere({ metadata: { gone: 1, team: 'theirs' } })
    await press('Save')
    await screen.findByRole('alert', CONFLICT)
    expect(stored().metadata).toEqual({ gone: 1, team: 'theirs' })
    await press('Keep mine')
    await press('Save')
    await waitFor(() => expect(stored().metadata).toEqual({ team: 'mine' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).toBeNull())
    expect(screen.getAllByLabelText(/^Key /)).toHaveLength(1)
  })
})
