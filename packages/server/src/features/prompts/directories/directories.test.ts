import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aManifest } from '../../../testing/a-manifest.ts'
import { type AWorkspace, aWorkspace } from '../../../testing/a-workspace.ts'
import { concurrentRelationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

describe.each(concurrentRelationalEngines)('directories of agents and skills on %s', (_engine, open) => {
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  const { prompts, promptCommits, hubDirectories } = contract
  let named = 0

  beforeAll(async () => {
    app = await startApp({ relational: await open() })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
  })
  afterAll(() => app.close())

  const create = async (body: object = {}, as: AWorkspace = acme): Promise<string> => {
    const repo_handle = `agent-${++named}`
    const given = { repo_handle, is_public: false, repo_type: 'agent', ...body }
    const made = await app.call(prompts.create, { body: given, headers: as.headers })
    expect(made.status, made.text).toBe(200)
    return repo_handle
  }
  const push = (repo: string, body: unknown, as: AWorkspace = acme) =>
    app.call(hubDirectories.commit, { params: { owner: '-', repo }, body, headers: as.headers })
  const pull = (repo: string, query: Record<string, string> = {}, headers = acme.headers) =>
    app.call(hubDirectories.read, { params: { owner: 'acme', repo }, query, headers })
  const file = (content: string) => ({ type: 'file', content })

  it('keep unnamed paths, replace named ones, and remove those set to null', async () => {
    const repo = await create()
    expect((await pull(repo)).status).toBe(404)
    const first = await push(repo, { files: { 'AGENT.md': file('one'), 'src/a.py': file('a'), 'b.txt': file('b') } })
    expect(first.status, first.text).toBe(200)
    expect(first.body.commit).toEqual({
      id: expect.any(String),
      commit_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      created_at: expect.any(String),
    })
    const changes = { 'AGENT.md': file('two'), 'b.txt': null, 'never.txt': null }
    const second = await push(repo, { files: changes, parent_commit: first.body.commit.commit_hash.slice(0, 8) })
    const tree = await pull(repo, { repo_type: 'agent' })
    expect(tree.body).toEqual({
      commit_id: second.body.commit.id,
      commit_hash: second.body.commit.commit_hash,
      files: { 'AGENT.md': file('two'), 'src/a.py': file('a') },
      is_foreign: false,
    })
    expect(Object.keys((await pull(repo, { commit: first.body.commit.commit_hash.slice(0, 8) })).body.files)).toEqual([
      'AGENT.md',
      'src/a.py',
      'b.txt',
    ])
  })

  it('have history, tags and lists like prompts', async () => {
    const repo = await create({ repo_type: 'skill' })
    const { commit } = (await push(repo, { files: { a: file('1') } })).body
    await push(repo, { files: { a: file('2') } })
    const params = { owner: '-', repo }
    const { headers } = acme
    await app.call(promptCommits.createTag, {
      params,
      body: { tag_name: 'production', commit_id: commit.id },
      headers,
    })
    expect((await pull(repo, { commit: 'production' })).body.files).toEqual({ a: file('1') })
    expect((await app.call(promptCommits.list, { params, headers })).body.total).toBe(2)
    const listed = await app.call(prompts.list, { query: { repo_type: 'skill' }, headers })
    expect(listed.body.repos).toMatchObject([{ repo_handle: repo, num_commits: 2 }])
    expect((await pull(repo, { repo_type: 'agent' })).status).toBe(404)
  })

  it('have the same hashes when they are replayed with another order of files', async () => {
    const mine = await create()
    const theirs = await create({}, other)
    const hashes = async (repo: string, as: AWorkspace, ...pushes: object[]) => {
      const made = []
      for (const files of pushes) made.push((await push(repo, { files }, as)).body.commit.commit_hash)
      return made
    }
    const one = await hashes(mine, acme, { a: file('1'), b: file('2') }, { b: null, c: file('3') })
    const two = await hashes(
      theirs,
      other,
      { b: file('2'), a: { content: '1', type: 'file' } },
      { c: file('3'), b: null },
    )
    expect(two).toEqual(one)
  })

  it('link to other repos, with or without a commit', async () => {
    const repo = await create()
    const links = {
      'sub/a': { type: 'agent', repo_handle: 'helper' },
      'sub/b': { type: 'skill', repo_handle: 'far', owner: 'other', commit_id: uuid7(), commit_hash: 'a'.repeat(64) },
    }
    await push(repo, { files: links })
    expect((await pull(repo)).body.files).toEqual(links)
    const bad = await push(repo, { files: { x: { type: 'agent', repo_handle: 'Bad Name' } } })
    expect(bad.status).toBe(400)
    expect(bad.text).toContain('Invalid repo_handle')
  })

  it('accept exactly one of several concurrent commits with one parent', async () => {
    const repo = await create()
    let parent_commit = (await push(repo, { files: {} })).body.commit.commit_hash
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) => push(repo, { files: { a: file(`${round}/${at}`) }, parent_commit })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
      parent_commit = answers.find(({ status }) => status === 200)!.body.commit.commit_hash
      const refused = answers.find(({ status }) => status === 409)!
      expect(refused.body).toMatchObject({ error: 'Parent commit is not the latest commit' })
    }
  })

  it('create no commit without changes', async () => {
    const repo = await create()
    const first = await push(repo, { files: { a: file('1') } })
    const again = await push(repo, { files: { a: file('1'), b: null } })
    expect(again.body).toEqual(first.body)
  })

  it.each([
    '',
    '/etc/passwd',
    '../up',
    'a/../../b',
    'a//b',
    './a',
    'a/',
    'C:\\x',
    'C:x',
    'a\\b',
    'a\0b',
    'a\nb',
    '\ud800',
    'x'.repeat(1025),
  ])('reject the path %j', async (path) => {
    expect((await push(await create(), { files: { [path]: file('x') } })).status).toBe(400)
  })

  it('reject parents of the wrong length, entries without a type and prompts', async () => {
    const repo = await create()
    const short = await push(repo, { files: {}, parent_commit: 'abc' })
    expect(short.status).toBe(400)
    expect(short.text).toContain('parent_commit must be 8-64 characters')
    for (const files of [{ a: 'text' }, { a: { type: 'dir' } }, { a: { type: 'file' } }, [], null]) {
      expect((await push(repo, { files })).status, JSON.stringify(files)).toBe(400)
    }
    const prompt = await create({ repo_type: 'prompt' })
    expect((await push(prompt, { files: {} })).status).toBe(404)
    const params = { owner: '-', repo }
    const manifest = await app.call(promptCommits.create, {
      params,
      body: { manifest: aManifest() },
      headers: acme.headers,
    })
    expect(manifest.status).toBe(400)
  })

  it('keep contents and hostile names unchanged', async () => {
    const repo = await create()
    const files =
      '{"__proto__":{"type":"file","content":"\\u0000\\ud800"},"a b/ä.md":{"x":1.0,"type":"file","content":"</script>"}}'
    const pushed = await push(repo, `{"files":${files}}`)
    expect(pushed.status, pushed.text).toBe(200)
    expect((await pull(repo)).text).toContain(`"files":${files}`)
  })

  it('are public or private like their repo, and mark foreign content', async () => {
    const repo = await create()
    await push(repo, { files: { a: file('1') } })
    expect((await pull(repo, {}, other.headers)).status).toBe(404)
    await app.call(prompts.update, { params: { owner: '-', repo }, body: { is_public: true }, headers: acme.headers })
    const theirs = await pull(repo, {}, other.headers)
    expect(theirs.body.is_foreign).toBe(true)
    expect((await app.call(hubDirectories.read, { params: { owner: 'acme', repo } })).status).toBe(200)
    const params = { owner: 'acme', repo }
    const write = await app.call(hubDirectories.commit, { params, body: { files: {} }, headers: other.headers })
    expect(write.status).toBe(403)
    expect((await app.call(hubDirectories.delete, { params, headers: other.headers })).status).toBe(403)
    const known = await app.fetch(`/v1/platform/hub/repos/acme/${repo}/directories/`, {
      headers: { ...other.headers, 'if-none-match': theirs.headers.get('etag')! },
    })
    expect(known.status).toBe(304)
  })

  it('are deleted together with the files they own', async () => {
    const repo = await create()
    const { headers } = acme
    const { id } = (await app.call(prompts.read, { params: { owner: '-', repo }, headers })).body.repo
    const owned = await create({ repo_type: 'file', owned_by_repo_id: id })
    const free = await create({ repo_type: 'file' })
    const params = { owner: '-', repo: owned }
    expect(
      (await app.call(promptCommits.create, { params, body: { manifest: { content: 'x' } }, headers })).status,
    ).toBe(201)
    const wrong = { repo_handle: 'wrong', is_public: false, repo_type: 'prompt', owned_by_repo_id: id }
    expect((await app.call(prompts.create, { body: wrong, headers })).status).toBe(400)

    const gone = await app.fetch(`/platform/hub/repos/-/${repo}/directories`, { method: 'DELETE', headers })
    expect(gone.status).toBe(204)
    for (const [name, status] of [
      [repo, 404],
      [owned, 404],
      [free, 200],
    ] as const) {
      expect((await app.call(prompts.read, { params: { owner: '-', repo: name }, headers })).status).toBe(status)
    }
    const again = await app.fetch(`/platform/hub/repos/-/${repo}/directories`, { method: 'DELETE', headers })
    expect(again.status).toBe(404)
  })
})
