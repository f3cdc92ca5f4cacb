import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PlaygroundJob } from '@touchstone/sdk'
import { CircleCheck, CirclePause, CircleStop, CircleX, LoaderCircle, Pause, Play, Square } from 'lucide-react'
import { useState } from 'react'
import { formatCost, formatCount, pluralize } from '#lib/format.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { Progress } from '#ui/progress.tsx'
import { toast } from '#ui/toast.tsx'
import { describeLimits, readLimits, toLimitTexts } from '../logic/limits.ts'
import { jobMutation } from '../queries.ts'
import { LimitFields } from './limit-fields.tsx'

const STATES = {
  RUNNING: { icon: LoaderCircle, label: 'Running' },
  PAUSED: { icon: CirclePause, label: 'Paused' },
  STOPPED: { icon: CircleStop, label: 'Stopped' },
  COMPLETED: { icon: CircleCheck, label: 'Completed' },
  ERROR: { icon: CircleX, label: 'Failed' },
} as const

/** State, calls and cost of a run over a dataset. */
export function JobProgress({ job, isLive }: { job: PlaygroundJob; isLive: boolean }) {
  const { icon: Icon, label } = STATES[job.state]
  const limits = describeLimits(job.limits)
  return (
    <>
      <span role={isLive ? 'status' : undefined} className="flex items-center gap-1.5 font-medium">
        <Icon size={14} aria-hidden className={job.state === 'ERROR' ? 'text-err' : 'text-fg-muted'} />
        {label}
      </span>
      <Progress
        label={isLive ? 'Calls that ended' : `Calls of ${job.name} that ended`}
        value={job.done}
        max={job.total}
        className="h-1.5 w-28"
      />
      <span className="tabular-nums text-fg-muted">
        {formatCount(job.done)} of {pluralize(job.total, 'call')}
        {job.failed > 0 && `, ${formatCount(job.failed)} failed`}
        {job.cost !== null && `, ${formatCost(String(job.cost))}`}
        {job.judge_cost != null && `, judges ${formatCost(String(job.judge_cost))}`}
        {limits !== undefined && `, ${limits}`}
      </span>
    </>
  )
}

interface JobButtonsProps {
  job: PlaygroundJob
  mayRun: boolean
  /** Whether the buttons name the run, because other runs are beside it. */
  isListed: boolean
}

/** What can be done with a run over a dataset. */
export function JobButtons({ job, mayRun, isListed }: JobButtonsProps) {
  const [isResuming, setResuming] = useState(false)
  const change = useMutation(jobMutation.change(useQueryClient(), job.id))
  const act = (action: 'pause' | 'stop') => () =>
    change.mutate({ action }, { onError: (cause) => toast.failure(`Could not ${action} the run`, cause) })
  const label = (verb: string) => (isListed ? `${verb} ${job.name}` : undefined)
  const { state } = job
  return (
    <>
      {mayRun && state === 'RUNNING' && (
        <Button disabled={change.isPending} aria-label={label('Pause')} onClick={act('pause')}>
          <Pause size={12} aria-hidden />
          Pause
        </Button>
      )}
      {mayRun && state !== 'RUNNING' && state !== 'COMPLETED' && (
        <Button disabled={change.isPending} aria-label={label('Resume')} onClick={() => setResuming(true)}>
          <Play size={12} aria-hidden />
          Resume…
        </Button>
      )}
      {mayRun && (state === 'RUNNING' || state === 'PAUSED') && (
        <Button disabled={change.isPending} aria-label={label('Stop')} onClick={act('stop')}>
          <Square size={12} aria-hidden />
          Stop
        </Button>
      )}
      <a
        href={job.comparison_path}
        aria-label={label('Compare experiments of')}
        className={buttonLook(isListed ? undefined : 'primary')}
      >
        {job.variants.length > 1 ? 'Compare experiments' : 'Show experiment'}
      </a>
      {isResuming && <ResumeDialog job={job} onClose={() => setResuming(false)} />}
    </>
  )
}

/** US dollars of variants and judges, which count together for the limit; null when no call had a price. */
function getSpent({ cost, judge_cost: judges }: PlaygroundJob): number | null {
  return cost === null && judges == null ? null : (cost ?? 0) + (judges ?? 0)
}

/** Continues a run over a dataset, with its limits or others. */
function ResumeDialog({ job, onClose }: { job: PlaygroundJob; onClose: () => void }) {
  const [texts, setTexts] = useState(() => toLimitTexts(job.limits))
  const change = useMutation(jobMutation.change(useQueryClient(), job.id))
  const { limits, problems } = readLimits(texts, getSpent(job) ?? 0)
  const left = job.total - job.done
  const spent = getSpent(job)
  return (
    <FormDialog
      title="Resume the run"
      description={`${pluralize(left, 'call')} of ${formatCount(job.total)} ${left === 1 ? 'is' : 'are'} left. Calls that failed are not made again.`}
      action="Resume"
      errorTitle="Could not resume the run"
      canSubmit={Object.keys(problems).length === 0}
      isPending={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate({ action: 'resume', limits }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {job.reason !== null && <p className="text-row text-warn [overflow-wrap:anywhere]">{job.reason}</p>}
      <p className="text-row text-fg-muted">
        {spent === null ? 'No call had a price so far.' : `Cost so far: ${formatCost(String(spent))}.`} The limits are
        for the whole run, including what it has done; an empty field sets none.
      </p>
      <LimitFields texts={texts} problems={problems} onChange={setTexts} />
    </FormDialog>
  )
}
