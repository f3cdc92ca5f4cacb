import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TracerSessionResult as Project, Run } from '@touchstone/sdk'
import { CircleCheck, CircleDashed, X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { runsQuery } from '#features/runs/queries.ts'
import { getStartedPreference } from '#lib/preferences.ts'
import { IconButton } from '#ui/button.tsx'
import { type FirstSteps, homeQuery } from './queries.ts'

const link = 'text-accent underline'

/** Checklist of the first steps. Hidden for good once all are done or it is dismissed. */
export function GetStarted({ tenant, projects }: { tenant: string; projects: readonly Project[] | undefined }) {
  const mayWrite = useMay('member')
  const ids = (projects ?? []).map(({ id }) => id)
  const taken = useQuery({ ...homeQuery.firstSteps(), enabled: mayWrite }).data
  // A score is of a trace; before the first one, its step links to the newest trace.
  const newest = useQuery({ ...runsQuery.newest(ids), enabled: taken?.hasScore === false && ids.length > 0 })
  const steps = listSteps({ tenant, project: projects?.[0], run: newest.data ?? undefined, taken })
  const done = steps.filter(({ isDone }) => isDone).length
  const isTraceKnown = taken?.hasScore || (ids.length === 0 ? projects !== undefined : newest.isSuccess)
  const isKnown = taken !== undefined && isTraceKnown
  useEffect(() => {
    if (done === steps.length) getStartedPreference.write(false)
  }, [done, steps.length])

  if (!mayWrite || !isKnown) return null
  return (
    <section aria-label="Get started" className="min-w-0 rounded-card border border-border bg-surface">
      <h2 className="flex h-9 items-center gap-2 border-b border-border pl-3 pr-1 text-row font-semibold">
        Get started
        <span className="flex-1 font-normal tabular-nums text-fg-muted">
          {done} of {steps.length}
        </span>
        <IconButton icon={X} label="Dismiss" onClick={() => getStartedPreference.write(false)} />
      </h2>
      <ol className="flex flex-col gap-2 p-3">
        {steps.map(({ isDone, title, how }) => (
          <li key={title} className="flex gap-2 text-row">
            {isDone ? (
              <CircleCheck size={15} role="img" aria-label="Done" className="mt-px shrink-0 text-ok" />
            ) : (
              <CircleDashed size={15} role="img" aria-label="To do" className="mt-px shrink-0 text-fg-subtle" />
            )}
            <div className="min-w-0">
              <p className={isDone ? 'text-fg-muted' : 'font-medium'}>{title}</p>
              {!isDone && <p className="text-fg-muted">{how}</p>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface Progress {
  tenant: string
  /** The newest project. */
  project: Project | undefined
  /** The newest trace. */
  run: Run | undefined
  /** Undefined while it loads. */
  taken: FirstSteps | undefined
}

interface Step {
  isDone: boolean
  title: string
  how: ReactNode
}

function listSteps({ tenant, project, run, taken }: Progress): Step[] {
  const dataset = taken?.datasetId
  return [
    {
      isDone: run !== undefined || (taken?.hasScore ?? false),
      title: 'Send a trace',
      how: (
        <>
          Set four environment variables and run your program.{' '}
          {project ? (
            <Link to="/o/$tenant/projects/p/$projectId" params={{ tenant, projectId: project.id }} className={link}>
              Open {project.name}
            </Link>
          ) : (
            <Link to="/o/$tenant/projects" params={{ tenant }} className={link}>
              Create a project
            </Link>
          )}{' '}
          to see how.
        </>
      ),
    },
    {
      isDone: taken?.hasKey ?? false,
      title: 'Create an API key',
      how: (
        <>
          Open{' '}
          <Link to="/o/$tenant/settings/api-keys" params={{ tenant }} className={link}>
            Settings, API keys
          </Link>
          . Use one key per program.
        </>
      ),
    },
    {
      isDone: taken?.hasScore ?? false,
      title: 'Score a run',
      how: run ? (
        <>
          Open{' '}
          <Link
            to="/o/$tenant/projects/p/$projectId/r/$runId"
            params={{ tenant, projectId: run.session_id, runId: run.id }}
            search={{ tab: 'feedback' }}
            className={link}
          >
            the latest trace
          </Link>{' '}
          and add a score.
        </>
      ) : (
        'Use the Feedback tab of a run, or create_feedback in the SDK.'
      ),
    },
    {
      isDone: taken?.hasDataset ?? false,
      title: 'Create an example',
      how: (
        <>
          Create one in{' '}
          <Link to="/o/$tenant/datasets" params={{ tenant }} className={link}>
            Datasets
          </Link>
          , or press Shift+D on a run to add its inputs and outputs to a dataset.
        </>
      ),
    },
    {
      isDone: taken?.hasExperiment ?? false,
      title: 'Run an experiment',
      how: (
        <>
          Open{' '}
          {dataset ? (
            <Link
              to="/o/$tenant/datasets/$datasetId/experiments"
              params={{ tenant, datasetId: dataset }}
              className={link}
            >
              the experiments of a dataset
            </Link>
          ) : (
            <Link to="/o/$tenant/datasets" params={{ tenant }} className={link}>
              Datasets
            </Link>
          )}{' '}
          and run evaluate() of the Python or TypeScript SDK.
        </>
      ),
    },
  ]
}
