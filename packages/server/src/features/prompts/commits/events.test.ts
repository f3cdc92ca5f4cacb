import { describe, expect, it } from 'vitest'
import { aCaller } from '../../../testing/a-caller.ts'
import { aHub } from '../../../testing/a-hub.ts'
import { aManifest } from '../../../testing/a-manifest.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { commitPrompt } from './commit-prompt.ts'
import type { PromptEvent } from './events.ts'
import { setTag } from './move-tag.ts'

describe.each(relationalEngines)('events of prompts on %s', (_engine, open) => {
  const hub = aHub(open)
  const { create, list } = hub

  it('are told after the fact, and a listener that fails fails nobody', async () => {
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
