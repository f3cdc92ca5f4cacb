import { contract } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aHub } from '../../../testing/a-hub.ts'
import { concurrentRelationalEngines } from '../../../testing/relational-engines.ts'

const { promptCommits } = contract

describe.each(concurrentRelationalEngines)('tags of prompts on %s', (_engine, open) => {
  const hub = aHub(open)
  const { create, pull, readRepo, tag, committed } = hub

  const history = (repo: string, name: string, query: Record<string, string> = {}, headers = hub.acme.headers) =>
    hub.app.call(promptCommits.tagHistory, { params: { owner: 'acme', repo, tag_name: name }, query, headers })

  it('are created, moved by POST and PATCH, listed, and removed', async () => {
    const repo = await create()
    const [first, second] = await committed(repo, '1', '2')
    const made = await tag(repo, 'production', first!.id)
    expect(made.body).toEqual({
      id: expect.any(String),
      repo_id: first!.repo_id,
      commit_id: first!.id,
      commit_hash: first!.commit_hash,
      tag_name: 'production',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const moved = await tag(repo, 'production', second!.id)
    expect(moved.status).toBe(200)
    expect(moved.body).toMatchObject({ id: made.body.id, commit_hash: second!.commit_hash })
    expect((await tag(repo, 'production', second!.id)).body).toEqual(moved.body)

    const params = { owner: '-', repo, tag_name: 'production' }
    const patch = (tag_name: string) =>
      hub.app.call(promptCommits.moveTag, {
        params: { ...params, tag_name },
        body: { commit_id: first!.id },
        headers: hub.acme.headers,
      })
    expect((await patch('production')).body.commit_id).toBe(first!.id)
    expect((await patch('staging')).status).toBe(404)
    await tag(repo, 'a.b_c-1', second!.id)
    const all = await hub.app.call(promptCommits.listTags, { params, headers: hub.acme.headers })
    expect(all.body.map(({ tag_name }) => tag_name)).toEqual(['a.b_c-1', 'production'])
    expect((await readRepo(repo)).commit_tags).toEqual(['a.b_c-1', 'production'])

    const remove = () => hub.app.call(promptCommits.deleteTag, { params, headers: hub.acme.headers })
    expect((await remove()).text).toBe('null')
    expect((await remove()).status).toBe(404)
    expect((await hub.app.call(promptCommits.readTag, { params, headers: hub.acme.headers })).status).toBe(404)
    expect((await pull(repo, 'production')).status).toBe(404)
  })

  it('move only from the commit that the caller expects', async () => {
    const repo = await create()
    const [first, second, third] = await committed(repo, '1', '2', '3')
    const params = { owner: '-', repo }
    const set = (commit_id: string, expected_commit_id: string | null | undefined) =>
      hub.app.call(promptCommits.createTag, {
        params,
        body: { tag_name: 'production', commit_id, expected_commit_id },
        headers: hub.acme.headers,
      })
    expect((await set(first!.id, second!.id)).status).toBe(409)
    expect((await set(first!.id, null)).status).toBe(200)
    const refused = await set(second!.id, null)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain(
      `The tag production was changed meanwhile: it points to commit ${first!.commit_hash}`,
    )
    expect((await set(third!.id, second!.id)).status).toBe(409)
    expect((await pull(repo, 'production')).body.commit_hash).toBe(first!.commit_hash)
    expect((await set(second!.id, first!.id)).status).toBe(200)
    // Sent again after its response was lost.
    expect((await set(second!.id, first!.id)).status).toBe(200)
    const patch = (commit_id: string, expected_commit_id?: string) =>
      hub.app.call(promptCommits.moveTag, {
        params: { ...params, tag_name: 'production' },
        body: { commit_id, expected_commit_id },
        headers: hub.acme.headers,
      })
    expect((await patch(third!.id, first!.id)).status).toBe(409)
    expect((await patch(third!.id, second!.id)).status).toBe(200)
    expect((await patch(first!.id)).status).toBe(200)
    expect((await history(repo, 'production')).body.total).toBe(4)
  })

  it('moved concurrently with the same expectation move once', async () => {
    const repo = await create()
    const [first, ...others] = await committed(repo, '1', '2', '3', '4')
    await tag(repo, 'live', first!.id)
    const answers = await Promise.all(
      others.map(({ id }) =>
        hub.app.call(promptCommits.moveTag, {
          params: { owner: '-', repo, tag_name: 'live' },
          body: { commit_id: id, expected_commit_id: first!.id },
          headers: hub.acme.headers,
        }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  })

  it('keep their history of moves, newest first, also after their removal', async () => {
    const repo = await create({ is_public: true })
    const [first, second] = await committed(repo, '1', '2')
    await tag(repo, 'live', first!.id)
    await tag(repo, 'live', first!.id)
    await tag(repo, 'live', second!.id)
    const params = { owner: '-', repo, tag_name: 'live' }
    await hub.app.call(promptCommits.deleteTag, { params, headers: hub.acme.headers })

    const { body } = await history(repo, 'live')
    const by = { performed_by: hub.acme.keyId, performed_by_name: 'key of acme', tag_name: 'live' }
    expect(body.total).toBe(3)
    expect(body.transitions).toMatchObject([
      { ...by, from_commit_hash: second!.commit_hash, to_commit_id: null, to_commit_hash: null },
      { ...by, from_commit_id: first!.id, to_commit_id: second!.id },
      { ...by, from_commit_id: null, from_commit_hash: null, to_commit_hash: first!.commit_hash },
    ])
    expect((await history(repo, 'live', { limit: '1', offset: '2' })).body.transitions).toEqual(
      body.transitions.slice(2),
    )
    const theirs = (await history(repo, 'live', {}, hub.other.headers)).body.transitions[0]!
    expect(theirs).toMatchObject({ performed_by: null, performed_by_name: null })
    expect((await history(repo, 'never')).status).toBe(404)
  })

  it.each(['', 'latest', '7', 'deadbeef', 'DEADBEEF00', 'a b', 'a/b', 'ä', 'a\0', 'x'.repeat(201)])(
    'reject the name %j',
    async (name) => {
      const repo = await create()
      const [first] = await committed(repo, '1')
      expect((await tag(repo, name, first!.id)).status).toBe(400)
    },
  )

  it('may look like the start of a hash while they are short', async () => {
    const repo = await create()
    const [first] = await committed(repo, '1', '2')
    await tag(repo, 'deadbee', first!.id)
    expect((await pull(repo, 'deadbee')).body.commit_hash).toBe(first!.commit_hash)
  })

  it('point to commits of their own prompt only', async () => {
    const [elsewhere] = await committed(await create(), '1')
    const answer = await tag(await create(), 'v1', elsewhere!.id)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('not found')
  })

  it('set concurrently point to one commit, with a consistent history', async () => {
    const repo = await create()
    const made = await committed(repo, ...Array.from({ length: 6 }, (_, at) => String(at)))
    const answers = await Promise.all(made.map(({ id }) => tag(repo, 'live', id)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    const { transitions } = (await history(repo, 'live')).body
    expect(transitions).toHaveLength(6)
    transitions.forEach(({ from_commit_id }, at) => {
      expect(from_commit_id).toBe(transitions[at + 1]?.to_commit_id ?? null)
    })
    expect((await pull(repo, 'live')).body.commit_hash).toBe(transitions[0]!.to_commit_hash)
  })
})
