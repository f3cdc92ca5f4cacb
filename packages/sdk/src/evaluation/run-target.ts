import type { Example, KVMap, TracerSession } from '../schemas.ts'
import { runInContext } from '../tracing/context.ts'
import { RunTree, type RunTreeConfig } from '../tracing/run-tree.ts'
import { waitForChildren } from '../tracing/traceable/children.ts'
import { isTraceableFunction, traceable } from '../tracing/traceable/traceable.ts'
import type { AnyFunction } from '../tracing/traceable/types.ts'
import type { TracingClientInterface } from '../tracing/tracing-client.ts'

/**
 * Placeholder parent that turns its child run into a root run of the experiment. A target that is already traceable
 * therefore records to the experiment, with the example id, whatever its own config contains.
 *
 * The placeholder itself is never sent.
 */
class ExperimentRoot extends RunTree {
  readonly #root: Partial<RunTreeConfig>
  /** The root run of the target, once started. */
  started: RunTree | undefined

  constructor(root: Partial<RunTreeConfig>) {
    super({ name: 'experiment', client: root.client, project_name: root.project_name, tracingEnabled: true })
    this.#root = root
  }

  override createChild(config: RunTreeConfig): RunTree {
    const { id, trace_id, dotted_order, parent_run, parent_run_id, address, ...own } = config
    const run = new RunTree({
      ...own,
      ...this.#root,
      metadata: { ...own.extra?.metadata, ...own.metadata, ...this.#root.metadata },
      tracingEnabled: true,
    })
    this.started ??= run
    return run
  }
}

/** A target that can be called with the inputs of an example. */
export type CallableTarget = AnyFunction | { invoke: AnyFunction }

interface TargetContext {
  /** Records the runs. */
  client: TracingClientInterface
  experiment: TracerSession
  metadata: KVMap
  includeAttachments: boolean
}

/**
 * Runs the target on one example as a root run of the experiment. If the target throws, the error is recorded on the
 * run and returned.
 *
 * @throws Error when the target created no run because it disables tracing
 */
export async function runTarget(
  target: CallableTarget,
  example: Example,
  context: TargetContext,
): Promise<{ run: RunTree; error?: unknown }> {
  const root = new ExperimentRoot({
    client: context.client,
    project_name: context.experiment.name,
    reference_example_id: example.id,
    metadata: { ...context.metadata, example_version: getExampleVersion(example) },
  })
  let failure: { error: unknown } | undefined
  try {
    await runInContext(root, () => call(target, example, context.includeAttachments))
  } catch (error) {
    failure = { error }
  }
  // Wait for outputs that `processOutputs` still computes: the evaluators read them.
  await waitForChildren(root)
  if (!root.started) throw new Error(NO_RUN, failure && { cause: failure.error })
  return { run: root.started, ...failure }
}

const NO_RUN =
  'Run not created by target function. This is most likely because it turns its tracing off (tracingEnabled: false).'

async function call(target: CallableTarget, example: Example, withAttachments: boolean): Promise<void> {
  const config = withAttachments ? [{ attachments: example.attachments }] : []
  const result: unknown = isTraceableFunction(target)
    ? await target(example.inputs, ...config)
    : await asTraceable(target, config)(example.inputs)
  await readToEnd(result)
}

/** The second argument is not an input, so it is passed without being recorded. */
function asTraceable(target: CallableTarget, config: readonly object[]): AnyFunction {
  const call = (inputs: KVMap) =>
    typeof target === 'function' ? target(inputs, ...config) : target.invoke(inputs, ...config)
  return traceable(call, { name: getTargetName(target) })
}

function getTargetName(target: CallableTarget): string {
  const name = typeof target === 'function' ? target.name : target.constructor?.name
  return !name || name === 'Object' ? 'target' : name
}

/** The run of a stream ends when the stream is consumed, so it is consumed here. */
async function readToEnd(result: unknown): Promise<void> {
  if (typeof result !== 'object' || result === null) return
  if (Symbol.asyncIterator in result) for await (const _ of result as AsyncIterable<unknown>);
  else if ('next' in result && Symbol.iterator in result) for (const _ of result as Iterable<unknown>);
}

function getExampleVersion(example: Example): string {
  return new Date(example.modified_at ?? example.created_at).toISOString()
}
