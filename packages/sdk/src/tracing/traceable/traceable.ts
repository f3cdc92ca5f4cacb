import { isTracingOnByEnv } from '../../config/env.ts'
import { isObject } from '../../guards.ts'
import { reportProblem } from '../../logger.ts'
import { findContextRunTree, isRunTree, recordUntracedCall, runInContext } from '../context.ts'
import { findFirstDestination } from '../destination.ts'
import { isRunnableConfigLike } from '../langchain.ts'
import { createSilentRunTree, RunTree, type RunTreeConfig } from '../run-tree.ts'
import { registerChild } from './children.ts'
import { DeferredInputs } from './deferred-inputs.ts'
import { callUntraced, followResult } from './follow-result.ts'
import { toInputs } from './payloads.ts'
import { applyHook, Recording } from './recording.ts'
import { type AnyFunction, MARKER, ROOT, type TraceableConfig, type TraceableFunction } from './types.ts'

/**
 * Records every call of a function as a run: its arguments, its result or error, and calls of other traceables as child
 * runs. The function behaves as before, except that a synchronous result becomes a promise.
 *
 * With tracing off (see `isTracingEnabled`) the function is called directly. A run tree or `ROOT` as an extra first
 * argument sets the parent of the run.
 *
 * @throws Error when the config names a project and an address, or an address that cannot receive traces
 */
export function traceable<Func extends AnyFunction>(
  fn: Func,
  config: TraceableConfig<Func> = {},
): TraceableFunction<Func> {
  const plan = toPlan(fn, config as TraceableConfig)
  const traced = function (this: unknown, ...args: unknown[]) {
    return call(plan, this, args)
  }
  Object.assign(traced, fn)
  Object.defineProperties(traced, { name: { value: fn.name, configurable: true }, [MARKER]: { value: config } })
  return traced as unknown as TraceableFunction<Func>
}

/** True for functions returned by `traceable`, of this package or of the public one. */
export function isTraceableFunction(value: unknown): value is TraceableFunction<AnyFunction> {
  return typeof value === 'function' && MARKER in value
}

/** The config, prepared before the first call. */
interface Plan {
  fn: AnyFunction
  name: string
  config: TraceableConfig
  /** The part of the config that describes the run. */
  run: Omit<RunTreeConfig, 'name'>
}

function toPlan(fn: AnyFunction, config: TraceableConfig): Plan {
  // What only this module reads is passed on too: a run tree takes what it knows.
  const { name, id, tracingEnabled: _, ...run } = config
  findFirstDestination(run)
  return { fn, name: name ?? (fn.name || '<lambda>'), config, run: { ...run, ...(id != null && { id }) } }
}

function call(plan: Plan, self: unknown, rawArgs: unknown[]): unknown {
  const { config, fn } = plan
  const { args: ownArgs, override } = config.argsConfigPath
    ? extractOverride(rawArgs, config.argsConfigPath)
    : { args: rawArgs, override: undefined }
  const requested = toPosition(ownArgs, plan)
  if (!shouldTrace(requested, config)) return callUntracedFunction(plan, self, requested)
  const { args, takesRunTree } = requested
  const recording = record(plan, requested, override)
  try {
    const { runTree } = recording
    const result: unknown = runInContext(runTree, () => fn.apply(self, takesRunTree ? [runTree, ...args] : args))
    return followResult(result, recording, config.__finalTracedIteratorKey)
  } catch (error) {
    return rejectAfter(recording.fail(error), error)
  }
}

/**
 * Starts to record a call that does not end with a function, such as one that returns a stream at once. The caller ends
 * the recording.
 *
 * @param args  recorded like the arguments of a traceable; a run tree as the first one is the parent
 * @returns undefined when the call is not to be traced
 * @throws Error when the config names a project and an address
 */
export function startRecording(config: TraceableConfig, args: unknown[]): Recording | undefined {
  const plan = toPlan(() => {}, config)
  const position = toPosition(args, plan)
  return shouldTrace(position, config) ? record(plan, position) : undefined
}

function record(plan: Plan, requested: Position, override?: Partial<RunTreeConfig>): Recording {
  const { config } = plan
  // A run that is traced below an untraced parent has no recorded parent, so it becomes a root.
  const position = requested.parent?.tracingEnabled === false ? { ...requested, parent: undefined } : requested
  const deferred = DeferredInputs.find(position.args, config.__deferredSerializableArgOptions?.maxDepth ?? 0)
  const runTree = createRunTree(plan, position, override)
  const recording = new Recording(runTree, config, deferred, registerChild(position.parent))
  setRunDetails(runTree, plan, position.args)
  callHook(runTree.client, 'on_start', () => config.on_start?.(runTree))
  void runTree.postRun()
  return recording
}

/** The parent of the run, and the function's own arguments. */
interface Position {
  parent: RunTree | undefined
  args: unknown[]
  /** The caller passed a run tree or `ROOT` first, and the function expects its own run tree there. */
  takesRunTree: boolean
  /** Settings from LangChain's tracer for a root run. Its presence also enables tracing. */
  tracer?: Pick<RunTreeConfig, 'client' | 'project_name' | 'address'>
}

function toPosition(args: unknown[], { run }: Plan): Position {
  const first = args[0]
  if (first === ROOT) return { parent: undefined, args: args.slice(1), takesRunTree: true }
  if (isObject(first)) {
    if (isRunTree(first)) return { parent: first, args: args.slice(1), takesRunTree: true }
    if (isRunnableConfigLike(first)) {
      const {
        parent_run: parent,
        client,
        project_name,
        address,
      } = RunTree.fromRunnableConfig(first, { name: 'traced' })
      return { parent, args: args.slice(1), takesRunTree: false, tracer: { client, project_name, address } }
    }
  }
  return { parent: findContextRunTree() ?? run.parent_run, args, takesRunTree: false }
}

/**
 * The surrounding run decides, or else the function's config, or else the environment. A nested `false` is respected.
 */
function shouldTrace({ parent, tracer }: Position, { tracingEnabled }: TraceableConfig): boolean {
  if (parent?.tracingEnabled === true) return tracingEnabled !== false
  if (parent?.tracingEnabled === false) return tracingEnabled === true
  return tracingEnabled ?? (tracer !== undefined || isTracingOnByEnv())
}

function callUntracedFunction(
  { fn, config }: Plan,
  self: unknown,
  { parent, args, takesRunTree: handsOver }: Position,
): unknown {
  recordUntracedCall()
  if (config.on_start) callHook(config.client, 'on_start', () => config.on_start?.(undefined))
  const passedArgs = handsOver ? [parent ?? createSilentRunTree(), ...args] : args
  // Inside a traced run, the calls made by this call must not be traced either. Outside, the context stays unchanged.
  const isDisabledHere = parent && parent.tracingEnabled !== false && config.tracingEnabled === false
  return callUntraced(() =>
    isDisabledHere ? runInContext(createSilentRunTree(), () => fn.apply(self, passedArgs)) : fn.apply(self, passedArgs),
  )
}

function createRunTree(plan: Plan, { parent, tracer }: Position, override: Partial<RunTreeConfig> = {}): RunTree {
  const { run } = plan
  const merged = {
    ...run,
    ...override,
    name: override.name ?? plan.name,
    metadata: { ...run.metadata, ...override.metadata },
    tags: [...new Set([...(run.tags ?? []), ...(override.tags ?? [])])],
  }
  if (parent) return parent.createChild(merged)
  return new RunTree({ ...tracer, ...merged, ...findFirstDestination(override, run, tracer), tracingEnabled: true })
}

/** Sets inputs, attachments and model parameters. A hook that fails is reported and skipped. */
function setRunDetails(runTree: RunTree, { config }: Plan, args: unknown[]): void {
  const extracted = callHook(runTree.client, 'extractAttachments', () => config.extractAttachments?.(...args))
  if (extracted?.[0]) runTree.attachments = extracted[0]
  const params = callHook(runTree.client, 'getInvocationParams', () => config.getInvocationParams?.(...args))
  if (params) runTree.metadata = { ...params, ...runTree.metadata }
  // `postRun` awaits a promise.
  runTree.inputs = applyHook(runTree.client, extracted?.[1] ?? toInputs(args), config.processInputs, 'inputs')
}

/** Extracts the run-time config from the arguments, if the function takes one. */
function extractOverride(args: unknown[], [index, key]: [number] | [number, string]) {
  const none = { args, override: undefined }
  const arg = args[index]
  if (!isObject(arg)) return none
  if (key === undefined) return { args: args.toSpliced(index, 1), override: arg as Partial<RunTreeConfig> }
  const { [key]: override, ...rest } = arg as Record<string, Partial<RunTreeConfig> | undefined>
  return { args: args.with(index, rest), override }
}

function callHook<T>(client: object | undefined, hook: string, task: () => T): T | undefined {
  try {
    return task()
  } catch (error) {
    reportProblem(client, `${hook} failed: ${error}`)
    return undefined
  }
}

async function rejectAfter(wait: Promise<void> | undefined, error: unknown): Promise<never> {
  await wait
  throw error
}
