// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import type { Prompt } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderOnPage } from '#lib/api/testing/fake-api.tsx'
import { RunsTab } from './runs-tab.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const summary = (hash: string) => ({ id: hash, commit_hash: hash.repeat(16), parent_commit_hash: null, tags: [] })

describe('runs of a commit', () => {
  it.each([
    ['that does not exist', [], 'No such commit'],
    ['that could be several', [summary('abcd'), summary('abce')], 'Several commits have this name'],
  ])('%s are not those of all commits', async (_, commits, title) => {
    const calls = fakeApi({
      'GET /repos/-/joke/history': () => json({ commits, total: commits.length }),
      'GET /repos/-/joke/tags': () => json([]),
      'POST /runs/query': () => json({ runs: [{ id: 'r', name: 'of another commit' }], cursors: {} }),
    })
    await renderOnPage(
      <RunsTab
        tenant="t"
        prompt={{ owner: '-', repo: 'joke' }}
        reference="abc"
        search={{ tab: 'runs' } as never}
        repo={{ is_foreign: false, owner: 'acme' } as Prompt}
      />,
    )
    await screen.findByText(title)
    expect(screen.getByRole('link', { name: 'Show runs of all commits' })).toBeDefined()
    expect(calls.filter(({ path }) => path.endsWith('/runs/query'))).toEqual([])
  })
})
