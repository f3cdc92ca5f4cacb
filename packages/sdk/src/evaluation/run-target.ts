import type { Example, KVMap, TracerSession } from '../schemas.ts'
import { inContext } from '../tracing/context.ts'
import type { RunTree } from '../tracing/run-tree.ts'
import { waitForChildren } from '../tracing/traceable/children.ts'
import { isTraceableFunction, traceable } from '../tracing/traceable/traceable.ts'
import type { AnyFunction } from '../tracing/traceable/types.ts'
import type { TracingClientInterface } from '../tracing/tracing-client.ts'
import { ExperimentRoot } from './experiment-root.ts'

/** Something that can be called on the inputs of an example. */
export type CallableTarget = AnyFunction | { invoke: AnyFunction }

interface Ground {
  /** Records the runs. */
  client: TracingClientInterface
  experiment: TracerSession
  metadata: KVMap
  includeAttachments: boolean
}

/**
 * Runs the target over one example, as a root run of the experiment. A target that throws has a run too: the error is in
 * it, and told beside it.
 *
 * @throws when the target left no run, because it refuses to be traced
 */
export async function runTarget(
  target: CallableTarget,
  example: Example,
  ground: Ground,
): Promise<{ run: RunTree; error?: unknown }> {
  const root = new ExperimentRoot({
    client: ground.client,
    project_name: ground.experiment.name,
    reference_example_id: example.id,
    metadata: { ...ground.metadata, example_version: versionOf(example) },
  })
  let failure: { error: unknown } | undefined
  try {
    await inContext(root, () => call(target, example, ground.includeAttachments))
  } catch (error) {
    failure = { error }
  }
  // Outputs that a hook is still working on are what the evaluators want to see.
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

/** The second argument is no input: it is handed over without being recorded. */
function asTraceable(target: CallableTarget, config: readonly object[]): AnyFunction {
  const call = (inputs: KVMap) =>
    typeof target === 'function' ? target(inputs, ...config) : target.invoke(inputs, ...config)
  return traceable(call, { name: nameOf(target) })
}

function nameOf(target: CallableTarget): string {
  const name = typeof target === 'function' ? target.name : target.constructor?.name
  return !name || name === 'Object' ? 'target' : name
}

/** A stream ends its run when it was read, and nobody else reads this one. */
async function readToEnd(result: unknown): Promise<void> {
  if (typeof result !== 'object' || result === null) return
  if (Symbol.asyncIterator in result) for await (const _ of result as AsyncIterable<unknown>);
  else if ('next' in result && Symbol.iterator in result) for (const _ of result as Iterable<unknown>);
}

function versionOf(example: Example): string {
  return new Date(example.modified_at ?? example.created_at).toISOString()
}
