import { createHash } from 'node:crypto'
import { contract, uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aHub } from '../../../testing/a-hub.ts'
import { aManifest } from '../../../testing/a-manifest.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'

const { prompts, promptCommits } = contract

describe.each(relationalEngines(import.meta.filename))('commits of prompts on %s', (_engine, open) => {
  const hub = aHub(open)
  const { create, commit, list, pull, readRepo, committed } = hub

  describe('commit a prompt', () => {
    it('returns the commit and updates the prompt', async () => {
      const repo = await create()
      const before = await readRepo(repo)
      const example = uuid7()
      const first = await commit(repo, { manifest: aManifest('1'), example_run_ids: [example], description: 'first' })
      expect(first.status, first.text).toBe(201)
      expect(first.body.commit).toEqual({
        id: expect.any(String),
        commit_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        parent_id: null,
        parent_commit_hash: null,
        repo_id: before.id,
        manifest: aManifest('1'),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        example_run_ids: [example],
        num_downloads: 0,
        num_views: 0,
        full_name: 'key of acme',
        description: 'first',
      })
      const parent = first.body.commit.commit_hash
      const second = await commit(repo, { manifest: aManifest('2'), parent_commit: parent })
      expect(second.body.commit).toMatchObject({ parent_id: first.body.commit.id, parent_commit_hash: parent })
      const after = await readRepo(repo)
      expect(after).toMatchObject({ num_commits: 2, last_commit_hash: second.body.commit.commit_hash })
      expect(after.updated_at >= before.updated_at).toBe(true)
    })

    it('hashes the parent and the canonical manifest, so a replayed history has the same hashes', async () => {
      const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
      const first = sha256('[null,{"a":[1,0.5],"id":["x","PromptTemplate"],"z":"é"}]')
      const second = sha256(`["${first}",{"id":["PromptTemplate"]}]`)
      for (const as of [hub.acme, hub.other]) {
        const repo = await create({}, as)
        const one = await commit(repo, '{"manifest":{"z":"\\u00e9","id":["x","PromptTemplate"],"a":[1.0,5e-1]}}', as)
        expect(one.body.commit.commit_hash).toBe(first)
        const two = await commit(repo, { manifest: { id: ['PromptTemplate'] } }, as)
        expect(two.body.commit.commit_hash).toBe(second)
      }
    })

    it.each([
      [{ hi: 'hello' }, 'Manifest must have an id field'],
      [{ id: [] }, 'Manifest must have an id field'],
      [{ id: 'PromptTemplate' }, 'Manifest must have an id field'],
      [{ id: [1] }, 'Manifest must have an id field'],
      [{ id: ['hi'] }, 'Manifest type hi is not supported'],
      [{ id: ['langchain', 'os', 'System'] }, 'Manifest type System is not supported'],
    ])('rejects the manifest %j', async (manifest, message) => {
      const answer = await commit(await create(), { manifest })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ error: message, detail: message })
    })

    it('rejects an id from the prototype', async () => {
      const answer = await commit(await create(), '{"manifest":{"__proto__":{"id":["PromptTemplate"]}}}')
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('Manifest must have an id field')
    })

    it('rejects a value that is not an object, and a description that is too long', async () => {
      const repo = await create()
      for (const body of [{}, { manifest: null }, { manifest: [] }, { manifest: 'x' }]) {
        expect((await commit(repo, body)).status).toBe(400)
      }
      expect((await commit(repo, { manifest: aManifest(), description: 'x'.repeat(1001) })).status).toBe(400)
      expect((await readRepo(repo)).num_commits).toBe(0)
    })

    it('rejects an equal manifest, ignoring key order, spacing and the origin of a pull', async () => {
      const repo = await create()
      await committed(repo, 'a')
      const { lc, type, id, kwargs } = aManifest('a') as Record<string, object>
      const notes = { lc_hub_owner: '-', lc_hub_repo: repo, lc_hub_commit_hash: 'x' }
      for (const manifest of [
        { kwargs, id, type, lc },
        { lc, type, id, kwargs: { ...kwargs, metadata: notes } },
      ]) {
        const answer = await commit(repo, { manifest })
        expect(answer.status).toBe(409)
        expect(answer.body).toMatchObject({
          error: 'Nothing to commit: prompt has not changed since latest commit',
        })
      }
      const changed = { lc, type, id, kwargs: { ...kwargs, metadata: { ...notes, mine: 1 } } }
      expect((await commit(repo, { manifest: changed })).status).toBe(201)
      const again = { ...changed, kwargs: { ...changed.kwargs, metadata: { mine: 1, lc_hub_owner: 'elsewhere' } } }
      expect((await commit(repo, { manifest: again })).status).toBe(409)
      expect((await commit(repo, { manifest: aManifest('a') })).status).toBe(201)
    })

    it('distinguishes large integers', async () => {
      const repo = await create()
      const of = (n: string) => `{"manifest":{"id":["PromptTemplate"],"n":${n}}}`
      expect((await commit(repo, of('9007199254740992'))).status).toBe(201)
      expect((await commit(repo, of('9007199254740993'))).status).toBe(201)
      expect((await commit(repo, of('9007199254740993.0'))).status).toBe(409)
    })

    it('rejects a parent that is not the newest commit', async () => {
      const repo = await create()
      expect((await commit(repo, { manifest: aManifest('0'), parent_commit: 'a'.repeat(64) })).status).toBe(409)
      const [first, second] = await committed(repo, '1', '2')
      for (const parent_commit of [first!.commit_hash, second!.commit_hash.slice(0, 7), 'nonsense', 'f'.repeat(65)]) {
        const answer = await commit(repo, { manifest: aManifest('3'), parent_commit })
        expect(answer.status, parent_commit).toBe(409)
        expect(answer.body).toMatchObject({ error: 'Parent commit is not the latest commit' })
      }
      const prefix = second!.commit_hash.slice(0, 8).toUpperCase()
      expect((await commit(repo, { manifest: aManifest('3'), parent_commit: prefix })).status).toBe(201)
      expect((await commit(repo, { manifest: aManifest('4'), parent_commit: 'latest' })).status).toBe(201)
      expect((await commit(repo, { manifest: aManifest('5'), parent_commit: null })).status).toBe(201)
    })

    it('rejects an unknown prompt and a prompt of another workspace', async () => {
      const answer = await commit('no-such-prompt', { manifest: aManifest() })
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('not found')
      const repo = await create({ is_public: true })
      const params = { owner: 'acme', repo }
      const theirs = await hub.app.call(promptCommits.create, {
        params,
        body: { manifest: aManifest() },
        headers: hub.other.headers,
      })
      expect(theirs.status).toBe(403)
    })
  })

  describe('manifests', () => {
    const deep = `${'{"a":['.repeat(500)}1${']}'.repeat(500)}`
    it.each([
      ['key order, digits and spacing', '"z": 12345678901234567890.10, "a":1e400, "b" : [1.0 , -0]'],
      ['prototypes', '"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}'],
      ['NUL and half surrogate pairs', '"nul":"\\u0000","half":"\\ud800","\\udfff":1'],
      ['duplicate keys', '"d":1,"d":2'],
      ['a thousand levels', `"deep":${deep}`],
      ['five megabytes', `"big":"${'\\"ä'.repeat(1_250_000)}"`],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what must not be run
      ['templates and secrets', '"t":"{{#each}}${7*7}{% x %}","s":{"lc":1,"type":"secret","id":["KEY"]}'],
      ['scripts', '"s":"</script><img src=x onerror=alert(1)>"'],
    ])('are returned unchanged: %s', async (_what, inside) => {
      const repo = await create()
      const manifest = `{"id":["PromptTemplate"],${inside}}`
      const made = await commit(repo, `{"description":"d","manifest":${manifest}}`)
      expect(made.status, made.text.slice(0, 300)).toBe(201)
      expect(made.text.includes(`"manifest":${manifest}`)).toBe(true)
      for (const query of [{}, { include_model: 'true' }]) {
        expect((await pull(repo, 'latest', query)).text.includes(`"manifest":${manifest}`)).toBe(true)
      }
      expect((await list(repo)).text.includes(`"manifest":${manifest}`)).toBe(true)
      const listed = await hub.app.call(prompts.list, {
        query: { with_latest_manifest: 'true', query: repo },
        headers: hub.acme.headers,
      })
      expect(listed.text.includes(`"manifest":${manifest}`)).toBe(true)
      expect((await commit(repo, `{"manifest":${manifest}}`)).status).toBe(409)
    })

    it('are limited in nesting and to 20 MiB', async () => {
      const repo = await create()
      const of = (depth: number) =>
        hub.app.fetch(`/commits/-/${repo}`, {
          method: 'POST',
          headers: hub.acme.headers,
          body: `{"manifest":{"id":["PromptTemplate"],"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
        })
      expect((await of(9_999)).status).toBe(201)
      expect((await of(200_000)).status).toBe(400)
      const large = `{"manifest":{"id":["PromptTemplate"],"x":"${'x'.repeat(20 * 1024 * 1024)}"}}`
      expect((await commit(repo, large)).status).toBe(413)
    })
  })
})
