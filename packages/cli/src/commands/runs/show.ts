import { command } from '../../command.ts'
import { shortSeconds, shortTime } from '../../output.ts'
import { secondsOf } from './seconds-of.ts'

export default command({
  summary: 'Show one run with its inputs and outputs',
  words: ['id'],
  flags: { children: { type: 'boolean', says: 'with all runs below it' } },
  async run({ client, output, words, flags }) {
    const run = await client.readRun(words[0] ?? '', { loadChildRuns: flags.children ?? false })
    output.data(run, () =>
      [
        `${run.name}  (${run.run_type}, ${run.status})`,
        `id       ${run.id}`,
        `trace    ${run.trace_id}`,
        `start    ${shortTime(String(run.start_time))}`,
        `took     ${shortSeconds(secondsOf(run)) ?? 'not ended'}`,
        ...(run.total_tokens ? [`tokens   ${run.total_tokens}`] : []),
        ...(run.total_cost == null ? [] : [`cost     $${run.total_cost}`]),
        ...(run.error ? ['', 'error', indent(run.error)] : []),
        '',
        'inputs',
        indent(JSON.stringify(run.inputs, null, 2)),
        '',
        'outputs',
        indent(JSON.stringify(run.outputs ?? null, null, 2)),
        ...(run.child_runs?.length ? ['', 'children', ...tree(run.child_runs, '  ')] : []),
      ].join('\n'),
    )
  },
})

interface Node {
  readonly name: string
  readonly run_type: string
  readonly status?: string | undefined
  readonly child_runs?: readonly Node[] | undefined
}

function tree(runs: readonly Node[], space: string): string[] {
  return runs.flatMap((run) => [
    `${space}${run.name} (${run.run_type}, ${run.status ?? 'pending'})`,
    ...tree(run.child_runs ?? [], `${space}  `),
  ])
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
