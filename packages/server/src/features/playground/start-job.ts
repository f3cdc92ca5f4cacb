import {
  ApiError,
  MAX_PLAYGROUND_CALLS,
  type PlaygroundJobCreate,
  type PlaygroundVariant,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { withTransaction } from '../../storage/relational/port.ts'
import { findExamples } from '../datasets/examples/index.ts'
import { getDataset, resolveVersion } from '../datasets/index.ts'
import { findEvaluator } from '../evaluators/index.ts'
import type { ListedJob, ModelJobs } from '../model-jobs/index.ts'
import { readProviderAccess } from '../model-providers/index.ts'
import { createProject, findProjectByName } from '../projects/index.ts'
import type { JobRequest, JobSummary } from './job-request.ts'

export type StartDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'> &
  Parameters<typeof readProviderAccess>[0] & { readonly modelJobs: ModelJobs }

export interface JobRows {
  readonly datasetId: string
  readonly version: Date
  readonly exampleIds: readonly string[]
}

/**
 * The rows of a job, in the order of the dataset.
 *
 * @throws ApiError NOT_FOUND for the dataset or its tag; INVALID_REQUEST for no rows, or more calls than a job may have
 */
export async function findJobRows(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  body: PlaygroundJobCreate,
): Promise<JobRows> {
  const dataset = await getDataset(deps, tenantId, body.dataset_id)
  const version = await resolveVersion(deps, dataset, body.as_of ?? undefined)
  if (version === undefined) throw new ApiError('INVALID_REQUEST', 'The dataset had no examples at this time.')
  const maxRows = Math.floor(MAX_PLAYGROUND_CALLS / (body.variants.length * body.repeats))
  const { found } = await findExamples(deps, tenantId, {
    dataset: dataset.id,
    as_of: timeOfEpochMs(version.getTime()),
    ...(body.splits != null && { splits: body.splits }),
    ...(body.example_ids != null && { id: body.example_ids }),
    limit: maxRows + 1,
  })
  if (found.length === 0) throw new ApiError('INVALID_REQUEST', 'No example of the dataset matches the request.')
  if (found.length > maxRows) {
    const message = `A job has at most ${MAX_PLAYGROUND_CALLS} calls; with ${body.variants.length} variants and ${body.repeats} repetitions that is ${maxRows} rows. Select splits or examples.`
    throw new ApiError('INVALID_REQUEST', message)
  }
  return { datasetId: dataset.id, version, exampleIds: found.map(({ id }) => id) }
}

/**
 * Creates an experiment for each variant, and the job that fills them.
 *
 * @throws ApiError NOT_FOUND for the dataset, a provider or an evaluator; INVALID_REQUEST
 */
export async function startJob(deps: StartDeps, caller: Caller, body: PlaygroundJobCreate): Promise<ListedJob> {
  const { tenantId } = caller
  for (const { provider_id } of body.variants) await readProviderAccess(deps, tenantId, provider_id)
  const evaluators = await Promise.all(
    body.evaluators.map(async ({ evaluator_id, version }) => ({
      evaluator_id,
      ...(await findEvaluator(deps, tenantId, evaluator_id, version ?? undefined)),
    })),
  )
  const keys = evaluators.flatMap((evaluator) => evaluator.keys)
  const rows = await findJobRows(deps, tenantId, body)
  const id = deps.ids()
  return deps.modelJobs.start(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const variants: JobSummary['variants'][number][] = []
    for (const variant of body.variants) {
      const experiment = await createExperiment(inside, caller, { id, variant, body, rows, keys })
      variants.push({
        name: variant.name,
        provider_id: variant.provider_id,
        model: variant.model,
        experiment_id: experiment.id,
        experiment_name: experiment.name,
      })
    }
    const summary: JobSummary = {
      variants,
      repeats: body.repeats,
      concurrency: body.concurrency,
      evaluators: evaluators.map(({ evaluator_id, version }) => ({ evaluator_id, version })),
    }
    const request: JobRequest = { variants: body.variants, mapping: body.mapping, variables: body.variables }
    return {
      id,
      tenant_id: tenantId,
      kind: 'variants',
      name: body.name,
      dataset_id: rows.datasetId,
      dataset_version: rows.version,
      example_ids: [...rows.exampleIds],
      request: JSON.stringify(request),
      summary: JSON.stringify(summary),
      total: rows.exampleIds.length * body.repeats * body.variants.length,
      max_cost_usd: body.limits.max_cost_usd ?? null,
      max_seconds: body.limits.max_seconds ?? null,
      created_at: timeOfEpochMs(deps.clock()),
      created_by_name: caller.actorName ?? null,
    }
  })
}

interface NewExperiment {
  readonly id: string
  readonly variant: PlaygroundVariant
  readonly body: PlaygroundJobCreate
  readonly rows: JobRows
  /** Feedback keys of the evaluators. */
  readonly keys: readonly string[]
}

async function createExperiment(
  deps: StartDeps,
  { tenantId }: Caller,
  { id, variant, body, rows, keys }: NewExperiment,
): Promise<{ readonly id: string; readonly name: string }> {
  const wanted = body.variants.length === 1 ? body.name : `${body.name}: ${variant.name}`
  const metadata = {
    dataset_version: rows.version.toISOString(),
    ...(body.splits != null && { dataset_splits: body.splits }),
    num_repetitions: body.repeats,
    model: variant.model,
    ...variant.parameters,
    ...(variant.prompt != null && {
      prompt: `${variant.prompt.owner}/${variant.prompt.repo}:${variant.prompt.commit}`,
      lc_hub_owner: variant.prompt.owner,
      lc_hub_repo: variant.prompt.repo,
      lc_hub_commit_hash: variant.prompt.commit,
    }),
    playground_job_id: id,
  }
  const project = await createProject(
    deps,
    tenantId,
    {
      body: {
        name: await findFreeName(deps, tenantId, wanted),
        reference_dataset_id: rows.datasetId,
        start_time: timeOfEpochMs(deps.clock()),
        num_examples: rows.exampleIds.length,
        num_repetitions: body.repeats,
        ...(keys.length > 0 && { evaluator_keys: [...new Set(keys)] }),
      },
      extraText: JSON.stringify({ metadata }),
    },
    false,
  )
  return { id: project.id, name: project.name }
}

/** Names tried with a number before a random one is used. */
const NUMBERED_NAMES = 20

async function findFreeName(deps: StartDeps, tenantId: string, wanted: string): Promise<string> {
  for (let number = 1; number <= NUMBERED_NAMES; number++) {
    const name = number === 1 ? wanted : `${wanted} ${number}`
    if ((await findProjectByName(deps, tenantId, name)) === undefined) return name
  }
  return `${wanted} ${deps.ids().slice(-8)}`
}
