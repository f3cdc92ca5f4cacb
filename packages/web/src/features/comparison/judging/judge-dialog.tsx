import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { EvaluatorJobEstimate, EvaluatorJobWrite } from '@touchstone/sdk'
import { useState } from 'react'
import { evaluatorQuery } from '#features/evaluators/queries.ts'
import { formatCost, formatCount, formatTokens, pluralize } from '#lib/format.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { evaluatorJobMutation, evaluatorJobQuery } from './queries.ts'

interface JudgeDialogProps {
  datasetId: string
  experimentIds: readonly string[]
  onClose: () => void
}

/** Judges the runs of experiments with a saved evaluator, after showing what that needs. */
export function JudgeDialog({ datasetId, experimentIds, onClose }: JudgeDialogProps) {
  const { tenant = '' } = useParams({ strict: false })
  const [evaluatorId, setEvaluatorId] = useState('')
  const [again, setAgain] = useState(false)
  const [maxCost, setMaxCost] = useState('')
  const evaluators = useQuery(evaluatorQuery.list())
  const usd = maxCost.trim() === '' ? undefined : Number(maxCost)
  const isLimit = usd === undefined || (usd > 0 && Number.isFinite(usd))
  const job: EvaluatorJobWrite = {
    evaluator_id: evaluatorId,
    experiment_ids: [...experimentIds],
    again,
    ...(usd !== undefined && { limits: { max_cost_usd: usd } }),
  }
  const estimate = useQuery({
    ...evaluatorJobQuery.estimate({ evaluator_id: evaluatorId, experiment_ids: [...experimentIds], again }),
    enabled: evaluatorId !== '',
  })
  const start = useMutation(evaluatorJobMutation.create(useQueryClient(), datasetId))
  const runs = estimate.data?.runs ?? 0
  return (
    <FormDialog
      title="Run an evaluator"
      description={`It judges the runs of ${pluralize(experimentIds.length, 'experiment')} on the server, also when this page is closed.`}
      action={runs > 0 ? `Judge ${pluralize(runs, 'run')}` : 'Judge'}
      errorTitle="Could not start"
      canSubmit={runs > 0 && isLimit}
      isPending={start.isPending}
      error={start.error}
      onSubmit={() => start.mutate(job, { onSuccess: onClose })}
      onClose={onClose}
    >
      {evaluators.error !== null && (
        <ErrorState
          compact
          title="Could not load the evaluators"
          error={evaluators.error}
          onRetry={() => void evaluators.refetch()}
        />
      )}
      {evaluators.data?.length === 0 && (
        <p className="text-row text-fg-muted">
          There is no evaluator yet.{' '}
          <Link to="/o/$tenant/evaluators/new" params={{ tenant }} className="text-accent hover:underline">
            Create one
          </Link>
        </p>
      )}
      <FormField label="Evaluator">
        {(props) => (
          <Select
            {...props}
            value={evaluatorId}
            placeholder="Choose an evaluator"
            onChange={setEvaluatorId}
            options={(evaluators.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
      </FormField>
      <label className="flex items-center gap-1.5 text-row">
        <input type="checkbox" checked={again} onChange={(event) => setAgain(event.target.checked)} />
        Judge runs again that this version has judged before
      </label>
      <TextField
        label="Limit in US dollars (optional)"
        isNumber
        value={maxCost}
        error={isLimit ? undefined : 'Type an amount above 0, such as 1.50.'}
        autoComplete="off"
        hint="No judgement begins when the cost has reached it."
        onChange={setMaxCost}
      />
      {estimate.error !== null && <ErrorState compact title="Could not estimate" error={estimate.error} />}
      {evaluatorId !== '' && estimate.isPending && <SkeletonRows rows={2} label="Estimating" />}
      {estimate.data && <Estimate estimate={estimate.data} />}
    </FormDialog>
  )
}

function Estimate({ estimate }: { estimate: EvaluatorJobEstimate }) {
  const { runs, version, left_out, prompt_tokens, completion_tokens, cost, problem } = estimate
  const others = [
    left_out.judged > 0 && `${formatCount(left_out.judged)} judged before`,
    left_out.failed > 0 && `${formatCount(left_out.failed)} failed`,
    left_out.running > 0 && `${formatCount(left_out.running)} not ended`,
  ].filter((part) => part !== false)
  const price = cost === null ? 'unknown price: the model has no price' : `about ${formatCost(String(cost))}`
  return (
    <section aria-label="Estimate" className="rounded-control bg-sunken px-3 py-2 text-row">
      <p>
        Version {version} over <strong className="font-medium">{pluralize(runs, 'run')}</strong>
        {prompt_tokens > 0 &&
          `, about ${formatTokens(prompt_tokens)} tokens of prompts and ${formatTokens(completion_tokens)} of answers, ${price}`}
        .
      </p>
      {others.length > 0 && <p className="text-fg-muted">Left out: {others.join(', ')}.</p>}
      {problem !== null && <p className="text-warn [overflow-wrap:anywhere]">{problem.message}</p>}
    </section>
  )
}
