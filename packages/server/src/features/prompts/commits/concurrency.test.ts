import { describe, expect, it } from 'vitest'
import { aHub } from '../../../testing/a-hub.ts'
import { aManifest } from '../../../testing/a-manifest.ts'
import { everyRelationalEngine } from '../../../testing/relational-engines.ts'
import { rounds } from '../../../testing/rounds.ts'

describe.each(everyRelationalEngine)(
  'concurrent writers of a prompt on %s',
  { repeats: rounds - 1 },
  (_engine, open) => {
    const hub = aHub(open)
    const { create, commit, list, readRepo } = hub

    it('with one parent: exactly one succeeds, in each of twenty rounds', async () => {
      const repo = await create()
      let parent: string | null = null
      for (let round = 1; round <= 20; round++) {
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, writer) =>
            commit(repo, { manifest: aManifest(`${round}/${writer}`), parent_commit: parent }),
          ),
        )
        // Without a parent each commit follows the newest one, so all succeed one after the other.
        const won = answers.filter(({ status }) => status === 201)
        expect(won).toHaveLength(parent === null ? 12 : 1)
        expect(answers.filter(({ status }) => status === 409)).toHaveLength(12 - won.length)
        parent = (await readRepo(repo)).last_commit_hash
        expect(won.map(({ body }) => body.commit.commit_hash)).toContain(parent)
      }
      await expectWhole(repo, 12 + 19)
    }, 120_000)

    it('with the same manifest: one commit is stored', async () => {
      const repo = await create()
      const answers = await Promise.all(Array.from({ length: 12 }, () => commit(repo, { manifest: aManifest() })))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)])
      await expectWhole(repo, 1)
    })

    /** Each commit must reference the one before it, and the prompt the last one. */
    async function expectWhole(repo: string, count: number): Promise<void> {
      const { commits, total } = (await list(repo, { limit: '100' })).body
      expect(total).toBe(count)
      const { num_commits, last_commit_hash } = await readRepo(repo)
      expect({ num_commits, last_commit_hash }).toEqual({
        num_commits: count,
        last_commit_hash: commits[0]!.commit_hash,
      })
      commits.forEach(({ parent_commit_hash, parent_id }, at) => {
        expect(parent_commit_hash).toBe(commits[at + 1]?.commit_hash ?? null)
        expect(parent_id).toBe(commits[at + 1]?.id ?? null)
      })
    }
  },
)
