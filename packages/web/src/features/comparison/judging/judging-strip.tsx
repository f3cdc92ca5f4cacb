import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { EvaluatorJob } from '@touchstone/sdk'
import { useEffect, useRef } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatCost, formatCount, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Progress } from '#ui/progress.tsx'
import { toast } from '#ui/toast.tsx'
import { evaluatorJobMutation, evaluatorJobQuery, refreshScores } from './queries.ts'

interface JudgingStripProps {
  datasetId: string
  experimentIds: readonly string[]
}

/** Progress of evaluators that judge the shown experiments. It disappears when they have ended. */
export function JudgingStrip({ datasetId, experimentIds }: JudgingStripProps) {
  const queryClient = useQueryClient()
  const { data: jobs = [] } = useQuery(evaluatorJobQuery.ofDataset(datasetId))
  const shown = jobs.filter(({ experiments }) =>
    experiments.some(({ experiment_id }) => experimentIds.includes(experiment_id)),
  )
  const open = shown.filter(({ state }) => state === 'RUNNING' || state === 'PAUSED')
  const openIds = open.map(({ id }) => id).join(' ')
  const before = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const now = new Set(openIds.split(' '))
    const ended = [...before.current].filter((id) => id !== '' && !now.has(id))
    before.current = now
    if (ended.length > 0) void refreshScores(queryClient, datasetId)
    for (const job of queryClient.getQueryData(evaluatorJobQuery.ofDataset(datasetId).queryKey) ?? []) {
      if (ended.includes(job.id)) announce(job)
    }
  }, [openIds, queryClient, datasetId])
  return open.map((job) => <JobLine key={job.id} job={job} />)
}

function announce({ evaluator_name, state, reason, done, failed }: EvaluatorJob): void {
  const text = `${evaluator_name} judged ${pluralize(done - failed, 'run')}`
  if (state === 'COMPLETED' && failed === 0) toast.done(text)
  else toast.failure(`${text}, ${formatCount(failed)} failed`, reason ?? undefined)
}

function JobLine({ job }: { job: EvaluatorJob }) {
  const mayWrite = useMay('member')
  const change = useMutation(evaluatorJobMutation.change(useQueryClient(), job))
  const act = (action: 'pause' | 'resume' | 'stop') => () =>
    change.mutate(action, { onError: (cause) => toast.failure(`Could not ${action} the evaluator`, cause) })
  return (
    <section
      aria-label={`Evaluator ${job.evaluator_name}`}
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-border bg-surface px-3 py-1.5 text-row"
    >
      <span role="status" className="min-w-0 truncate font-medium">
        {job.state === 'RUNNING' ? 'Judging' : 'Paused'}: {job.evaluator_name}
      </span>
      <Progress label="Runs that were judged" value={job.done} max={job.total} className="h-1.5 w-28" />
      <span className="tabular-nums text-fg-muted">
        {formatCount(job.done)} of {pluralize(job.total, 'run')}
        {job.failed > 0 && `, ${formatCount(job.failed)} failed`}
        {job.cost !== null && `, ${formatCost(String(job.cost))}`}
      </span>
      {mayWrite && (
        <span className="ml-auto flex items-center gap-1.5">
          <Button disabled={change.isPending} onClick={act(job.state === 'RUNNING' ? 'pause' : 'resume')}>
            {job.state === 'RUNNING' ? 'Pause' : 'Resume'}
          </Button>
          <Button disabled={change.isPending} onClick={act('stop')}>
            Stop
          </Button>
        </span>
      )}
      {job.reason !== null && <p className="w-full text-warn [overflow-wrap:anywhere]">{job.reason}</p>}
    </section>
  )
}
