import { collect } from '../../collect.ts'
import { command } from '../../command.ts'
import { wholeNumber } from '../../flags.ts'
import { shortTime, table } from '../../output.ts'

export default command({
  summary: 'List prompts, those changed last first',
  flags: {
    query: { type: 'string', value: 'TEXT', says: 'only those with this in name, description or readme' },
    public: { type: 'boolean', says: "only public ones, other workspaces' too" },
    archived: { type: 'boolean', says: 'those in the archive instead' },
    limit: { type: 'string', value: 'N', says: 'at most so many (default 50)' },
  },
  async run({ client, output, flags }) {
    const limit = wholeNumber('limit', flags.limit) ?? 50
    const { query, archived: isArchived } = flags
    const isPublic = flags.public ? true : undefined
    const prompts = await collect(client.listPrompts({ query, isArchived, isPublic, limit }))
    output.data(prompts, (rows) =>
      table(rows, [
        ['NAME', ({ full_name, repo_handle, is_foreign }) => (is_foreign ? full_name : repo_handle)],
        ['COMMIT', ({ last_commit_hash }) => last_commit_hash?.slice(0, 8)],
        ['COMMITS', ({ num_commits }) => num_commits],
        ['TAGS', ({ commit_tags }) => commit_tags?.join(' ') || undefined],
        ['PUBLIC', ({ is_public }) => (is_public ? 'yes' : 'no')],
        ['CHANGED', ({ updated_at }) => shortTime(updated_at)],
        ['DESCRIPTION', ({ description }) => description || undefined],
      ]),
    )
    if (prompts.length === limit) output.talk(`These are the first ${limit}; --limit shows more.`)
  },
})
