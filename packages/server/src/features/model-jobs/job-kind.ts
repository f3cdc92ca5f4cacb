import type { Relational } from '../../storage/relational/port.ts'
import type { JobKind, ModelJobRow } from '../../storage/relational/tables/model-jobs.ts'
import type { JobTask } from './job-task.ts'
import type { ListedJob } from './store.ts'

/** What a feature does with its jobs. */
export interface JobKindDefinition {
  /** The message for an id that is none of its jobs. */
  readonly notFound: string
  /** Opens the work of a job. */
  open(job: ModelJobRow): JobTask<unknown>
  /** Ends what ends with a job, in the same transaction: a process may be killed between the two. */
  endWith?(inside: Relational, job: ListedJob): Promise<void>
  /** Called after that transaction. */
  onEnded?(): void
}

export type JobKinds = ReadonlyMap<JobKind, JobKindDefinition>

/** @throws Error for a kind that no feature has defined */
export function getKind(kinds: JobKinds, kind: JobKind): JobKindDefinition {
  const definition = kinds.get(kind)
  if (definition === undefined) throw new Error(`No feature has defined jobs of the kind "${kind}".`)
  return definition
}
