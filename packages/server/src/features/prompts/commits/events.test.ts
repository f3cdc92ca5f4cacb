import { describe, expect, it } from 'vitest'
import { aCaller } from '../../../testing/a-caller.ts'
import { aHub } from '../../../testing/a-hub.ts'
import { aManifest } from '../../../testing/a-manifest.ts'
import { everyRelationalEngine } from '../../../testing/relational-engines.ts'
import type { PromptEvent } from './change-history.ts'
import { commitPrompt } from './commit-prompt.ts'
import { setTag } from './move-tag.ts'

describe.each(everyRelationalEngine)('prompt events on %s', (_engine, open) => {
  const hub = aHub(open)
  const { create, list } = hub

  it('are emitted after the transaction, and a failing listener fails no request', async () => {
    const repo = await create()
    const heard: [string, string | undefined, number][] = []
    const onPromptEvent = async ({ event, tagName, repo: { id } }: PromptEvent) => {
      const { body } = await list(repo)
      heard.push([event, tagName, body.total])
      expect(id).toBe(body.commits[0]!.repo_id)
      throw new Error('the receiver is away')
    }
    const deps = { ...hub.app.deps, onPromptEvent }
    const caller = aCaller(hub.acme.tenantId)
    const body = { manifest: aManifest() }
    const path = { owner: '-', repo }
    const { commit: made } = await commitPrompt(deps, caller, path, { body, bodyText: JSON.stringify(body) })
    await setTag(deps, caller, path, { tagName: 'v1', commitId: made.id })
    await setTag(deps, caller, path, { tagName: 'v1', commitId: made.id })
    expect(heard).toEqual([
      ['commit', undefined, 1],
      ['tag:create', 'v1', 1],
    ])
  })
})
