import { collect } from '../../collect.ts'
import { command } from '../../command.ts'
import { isUuid, wholeNumber } from '../../flags.ts'
import { shortSeconds, shortTime, table } from '../../output.ts'
import { secondsOf } from './seconds-of.ts'

export default command({
  summary: 'List runs of a project, newest first',
  words: ['project?'],
  flags: {
    all: { type: 'boolean', says: 'every run, not only the roots of traces' },
    errors: { type: 'boolean', says: 'only runs that failed' },
    type: { type: 'string', value: 'TYPE', says: 'only runs of this type: llm, chain, tool, retriever, …' },
    trace: { type: 'string', value: 'ID', says: 'all runs of this trace' },
    limit: { type: 'string', value: 'N', says: 'at most so many (default 20)' },
  },
  async run({ client, output, words, flags }) {
    const limit = wholeNumber('limit', flags.limit) ?? 20
    const [project = 'default'] = words
    const where = flags.trace
      ? { traceId: flags.trace }
      : isUuid(project)
        ? { projectId: project }
        : { projectName: project }
    const runs = await collect(
      client.listRuns({
        ...where,
        isRoot: flags.all || flags.trace || flags.type ? undefined : true,
        error: flags.errors || undefined,
        runType: flags.type,
        limit,
      }),
    )
    output.data(runs, (rows) =>
      table(rows, [
        ['ID', ({ id }) => id],
        ['START', ({ start_time }) => shortTime(String(start_time))],
        ['TYPE', ({ run_type }) => run_type],
        ['STATUS', ({ status }) => status],
        ['TIME', (run) => shortSeconds(secondsOf(run))],
        ['TOKENS', ({ total_tokens }) => total_tokens || undefined],
        ['NAME', ({ name }) => name],
      ]),
    )
    if (runs.length === limit) output.talk(`These are the newest ${limit}; --limit shows more.`)
  },
})
