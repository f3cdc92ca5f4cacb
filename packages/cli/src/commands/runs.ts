import { RUN_SORTS } from '@touchstone/contract'
import { parseChoice, toProjectKey } from '../arguments.ts'
import { command } from '../command.ts'
import { formatSeconds, formatTable, formatTime } from '../output.ts'
import { collect, LIMIT_FLAG, printLimitNotice, readLimit } from '../paging.ts'

const DEFAULT_LIMIT = 20

export const listRuns = command({
  summary: 'List runs of a project, newest first or by a figure',
  positionals: ['project?'],
  flags: {
    all: { type: 'boolean', description: 'all runs, not only root runs' },
    errors: { type: 'boolean', description: 'only failed runs' },
    type: { type: 'string', value: 'TYPE', description: 'only runs of this type: llm, chain, tool, retriever, …' },
    trace: { type: 'string', value: 'ID', description: 'all runs of this trace' },
    sort: { type: 'string', value: 'BY', description: `largest first, over all runs: ${RUN_SORTS.join(', ')}` },
    ascending: { type: 'boolean', description: 'smallest or oldest first' },
    limit: { ...LIMIT_FLAG, description: `maximum number of rows (default ${DEFAULT_LIMIT})` },
  },
  async run({ client, output, positionals, flags }) {
    const limit = readLimit(flags.limit, DEFAULT_LIMIT)
    const [project = 'default'] = positionals
    const runs = await collect(
      client.listRuns({
        ...(flags.trace ? { traceId: flags.trace } : toProjectKey(project)),
        isRoot: flags.all || flags.trace || flags.type ? undefined : true,
        error: flags.errors || undefined,
        runType: flags.type,
        sortBy: parseChoice('sort', RUN_SORTS, flags.sort),
        order: flags.ascending ? 'asc' : undefined,
        limit,
      }),
    )
    output.data(runs, (rows) =>
      formatTable(rows, [
        ['ID', ({ id }) => id],
        ['START', ({ start_time }) => formatTime(String(start_time))],
        ['TYPE', ({ run_type }) => run_type],
        ['STATUS', ({ status }) => status],
        ['TIME', (run) => formatSeconds(getDurationSeconds(run))],
        ['TOKENS', ({ total_tokens }) => total_tokens || undefined],
        ['NAME', ({ name }) => name],
      ]),
    )
    printLimitNotice(output, runs, limit)
  },
})

export const showRun = command({
  summary: 'Show one run with its inputs and outputs',
  positionals: ['id'],
  flags: { children: { type: 'boolean', description: 'include all child runs' } },
  async run({ client, output, positionals, flags }) {
    const [id = ''] = positionals
    const run = await client.readRun(id, { loadChildRuns: flags.children ?? false })
    output.data(run, () =>
      [
        `${run.name}  (${run.run_type}, ${run.status})`,
        `id       ${run.id}`,
        `trace    ${run.trace_id}`,
        `start    ${formatTime(String(run.start_time))}`,
        `took     ${formatSeconds(getDurationSeconds(run)) ?? 'not ended'}`,
        ...(run.total_tokens ? [`tokens   ${run.total_tokens}`] : []),
        ...(run.total_cost == null ? [] : [`cost     $${run.total_cost}`]),
        ...(run.error ? ['', 'error', indent(run.error)] : []),
        '',
        'inputs',
        indent(JSON.stringify(run.inputs, null, 2)),
        '',
        'outputs',
        indent(JSON.stringify(run.outputs ?? null, null, 2)),
        ...(run.child_runs?.length ? ['', 'children', ...formatTree(run.child_runs, '  ')] : []),
      ].join('\n'),
    )
  },
})

interface TimedRun {
  readonly start_time?: string | number | undefined
  readonly end_time?: string | number | null | undefined
}

/** `undefined` while the run has not ended; 0 when it ends before it starts, as the server counts. */
function getDurationSeconds({ start_time, end_time }: TimedRun): number | undefined {
  if (start_time === undefined || end_time == null) return undefined
  return Math.max(new Date(end_time).getTime() - new Date(start_time).getTime(), 0) / 1000
}

interface RunNode {
  readonly name: string
  readonly run_type: string
  readonly status?: string | undefined
  readonly child_runs?: readonly RunNode[] | undefined
}

function formatTree(runs: readonly RunNode[], indentation: string): string[] {
  return runs.flatMap((run) => [
    `${indentation}${run.name} (${run.run_type}, ${run.status ?? 'pending'})`,
    ...formatTree(run.child_runs ?? [], `${indentation}  `),
  ])
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
