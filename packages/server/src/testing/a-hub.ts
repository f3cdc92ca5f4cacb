import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Relational } from '../storage/relational/port.ts'
import { aManifest } from './a-manifest.ts'
import { type AWorkspace, aWorkspace } from './a-workspace.ts'
import { type StartedApp, startApp } from './start-app.ts'

const { prompts, promptCommits } = contract

/**
 * A server with two workspaces, `acme` and `other`, and short functions for calls of its prompt hub. Starts before the
 * tests of the group that calls it and stops after them; `app`, `acme` and `other` exist in between.
 */
export function aHub(open: () => Promise<Relational>) {
  const hub = {} as { app: StartedApp; acme: AWorkspace; other: AWorkspace }
  let named = 0

  beforeAll(async () => {
    hub.app = await startApp({ relational: await open() })
    hub.acme = await aWorkspace(hub.app, 'acme')
    hub.other = await aWorkspace(hub.app, 'other')
  })
  afterAll(() => hub.app.close())

  /** Creates a prompt without commits; returns its name. */
  async function create(body: object = {}, as: AWorkspace = hub.acme): Promise<string> {
    const repo_handle = `prompt-${++named}`
    const made = await hub.app.call(prompts.create, {
      body: { repo_handle, is_public: false, ...body },
      headers: as.headers,
    })
    expect(made.status, made.text).toBe(200)
    return repo_handle
  }
  const commit = (repo: string, body: unknown, as: AWorkspace = hub.acme) =>
    hub.app.call(promptCommits.create, { params: { owner: '-', repo }, body, headers: as.headers })
  const list = (repo: string, query: Record<string, string> = {}) =>
    hub.app.call(promptCommits.list, { params: { owner: '-', repo }, query, headers: hub.acme.headers })
  const pull = (repo: string, reference: string, query: Record<string, string> = {}, as: AWorkspace = hub.acme) =>
    hub.app.call(promptCommits.read, { params: { owner: '-', repo, commit: reference }, query, headers: as.headers })
  const readRepo = async (repo: string) =>
    (await hub.app.call(prompts.read, { params: { owner: '-', repo }, headers: hub.acme.headers })).body.repo
  const tag = (repo: string, tag_name: string, commit_id: string) =>
    hub.app.call(promptCommits.createTag, {
      params: { owner: '-', repo },
      body: { tag_name, commit_id },
      headers: hub.acme.headers,
    })
  /** Commits each template, one after the other. */
  async function committed(repo: string, ...templates: string[]) {
    const made = []
    for (const template of templates) {
      const answer = await commit(repo, { manifest: aManifest(template) })
      expect(answer.status, answer.text).toBe(201)
      made.push(answer.body.commit)
    }
    return made
  }
  return Object.assign(hub, { create, commit, list, pull, readRepo, tag, committed })
}
