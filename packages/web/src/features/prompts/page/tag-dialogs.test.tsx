// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { TagDialog } from './tag-dialogs.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const [FIRST, SECOND, THIRD] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string]
const toId = (hash: string) => `${hash.slice(0, 8)}-0000-4000-8000-000000000000`
const template = (text: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['x', 'PromptTemplate'],
  kwargs: { template: text },
})

it('asks again with the new state when the tag was moved meanwhile', async () => {
  let at = FIRST
  const summary = (hash: string) => ({ id: toId(hash), commit_hash: hash, parent_commit_hash: null, tags: [] })
  const commits = (hash: string) => json({ commits: [summary(hash)], total: 1 })
  const calls = fakeApi({
    'GET /me': () => json({ kind: 'person', id: 'p', role: 'admin' }),
    'GET /hub/environments': () => json({ id: null, environments: [] }),
    'GET /repos/-/joke/tags': () => json([{ tag_name: 'production', commit_id: toId(at), commit_hash: at }]),
    'GET /repos/-/joke/history': ({ query }) => commits(query.get('starts_with') ?? THIRD),
    ...Object.fromEntries(
      [FIRST, SECOND, THIRD].map((hash) => [
        `GET /commits/-/joke/${hash}`,
        () => json({ commit_hash: hash, manifest: template(`Text ${hash.slice(0, 1)}`) }),
      ]),
    ),
    'POST /repos/-/joke/tags': () => {
      const isMoved = at === FIRST
      at = SECOND
      const detail = `The tag production was changed meanwhile: it points to commit ${SECOND} now.`
      return isMoved ? json({ detail }, 409) : json({ tag_name: 'production', commit_id: toId(THIRD) })
    },
  })
  const onClose = vi.fn()
  renderWithQueries(
    <TagDialog prompt={{ owner: '-', repo: 'joke' }} hash={THIRD} name="production" onClose={onClose} />,
  )
  const confirm = () => screen.getByRole('button', { name: 'Move tag' }) as HTMLButtonElement
  const isReady = () => expect(confirm().disabled).toBe(false)
  await waitFor(isReady)
  expect(screen.getByRole('region', { name: 'What changes for programs' }).textContent).toContain('11111111')
  await userEvent.click(confirm())
  await screen.findByText(/it points to commit 2222/)
  await waitFor(() =>
    expect(screen.getByRole('region', { name: 'What changes for programs' }).textContent).toContain('22222222'),
  )
  expect(onClose).not.toHaveBeenCalled()
  await waitFor(isReady)
  await userEvent.click(confirm())
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  const sent = calls.filter(({ method }) => method === 'POST').map(({ body }) => body)
  expect(sent).toEqual([
    { tag_name: 'production', commit_id: toId(THIRD), expected_commit_id: toId(FIRST) },
    { tag_name: 'production', commit_id: toId(THIRD), expected_commit_id: toId(SECOND) },
  ])
})
