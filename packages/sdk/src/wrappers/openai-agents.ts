import { isObject, isRecord } from '../guards.ts'
import { reportProblem } from '../logger.ts'
import type { KVMap } from '../schemas.ts'
import type { AgentAddress } from '../tracing/address.ts'
import { findContextRunTree } from '../tracing/context.ts'
import { addContextSource } from '../tracing/context-sources.ts'
import { RunTree, type RunTreeConfig } from '../tracing/run-tree.ts'
import { describeSpan, formatSpanError, type SpanError } from './openai-agents/describe-span.ts'

/** The parts of traces and spans of `@openai/agents` that are used. */
interface AgentTrace {
  readonly traceId: string
  readonly name: string
  readonly groupId: string | null
  readonly metadata?: Record<string, unknown> | undefined
}

interface AgentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly spanData: object
  readonly error: SpanError | null
}

/** Settings of all traces. */
export interface OpenAIAgentsTracingProcessorOptions {
  /** @default the shared client */
  client?: RunTreeConfig['client']
  metadata?: KVMap
  tags?: string[]
  projectName?: string
  /** The agent environment to send traces to, instead of a project. */
  address?: AgentAddress
  /** Name of the run of a trace. @default the name of the trace */
  name?: string
}

/** A trace that has not ended. */
interface OpenTrace {
  readonly root: RunTree
  readonly spans: Map<string, RunTree>
  hasInputs: boolean
}

/**
 * Records traces of the OpenAI Agents SDK: agents, turns, calls of models with their usage, tools, handoffs and guardrails.
 * Traces inside of a traced function are part of its trace, and traced functions that a tool calls are below the tool.
 *
 * It records whether or not tracing is on in the environment, because adding it is a decision to trace.
 *
 * @example setTraceProcessors([new OpenAIAgentsTracingProcessor()])
 */
export class OpenAIAgentsTracingProcessor {
  readonly #options: OpenAIAgentsTracingProcessorOptions
  readonly #traces = new Map<string, OpenTrace>()
  readonly #removeSource: () => void

  constructor(options: OpenAIAgentsTracingProcessorOptions = {}) {
    this.#options = options
    this.#removeSource = addContextSource(() => this.#findCurrentRun())
  }

  async onTraceStart(trace: AgentTrace): Promise<void> {
    this.#protect(() => {
      const { client, metadata, tags, projectName, address, name } = this.#options
      const config: RunTreeConfig = {
        name: name ?? trace.name,
        tags,
        metadata: {
          ls_integration: 'openai-agents-sdk',
          ls_agent_type: 'root',
          ...metadata,
          ...trace.metadata,
          ...(trace.groupId !== null && { thread_id: trace.groupId }),
          openai_trace_id: trace.traceId,
        },
      }
      const parent = findContextRunTree()
      const isBelow = parent?.tracingEnabled === true
      const own = { client, project_name: projectName, address, tracingEnabled: true }
      const root = isBelow ? parent.createChild(config) : new RunTree({ ...config, ...own })
      this.#traces.set(trace.traceId, { root, spans: new Map(), hasInputs: false })
      void root.postRun()
    })
  }

  async onTraceEnd({ traceId }: AgentTrace): Promise<void> {
    this.#protect(() => {
      const trace = this.#traces.get(traceId)
      this.#traces.delete(traceId)
      if (trace) endRun(trace.root)
    })
  }

  async onSpanStart({ traceId, spanId, parentId, spanData }: AgentSpan): Promise<void> {
    this.#protect(() => {
      const trace = this.#traces.get(traceId)
      if (trace === undefined) return
      const parent = (parentId !== null && trace.spans.get(parentId)) || trace.root
      const { name, run_type, inputs } = describeSpan(spanData)
      // The rest of its metadata comes at the end, because runs below it would inherit it.
      const run = parent.createChild({ name, run_type, inputs, metadata: { openai_span_id: spanId } })
      trace.spans.set(spanId, run)
      void run.postRun()
    })
  }

  async onSpanEnd({ traceId, spanId, parentId, spanData, error }: AgentSpan): Promise<void> {
    this.#protect(() => {
      const trace = this.#traces.get(traceId)
      const run = trace?.spans.get(spanId)
      if (trace === undefined || run === undefined) return
      trace.spans.delete(spanId)
      const { inputs, outputs, metadata, run_type } = describeSpan(spanData)
      run.inputs = inputs
      run.outputs = outputs
      run.metadata = metadata
      if (error !== null) run.error = formatSpanError(error)
      endRun(run)
      if (run_type === 'llm') this.#copyToRoot(trace, run)
      // The SDK does not end the trace of a run that failed.
      if (parentId === null && run.error !== undefined) {
        trace.root.error ??= run.error
        endRun(trace.root)
      }
    })
  }

  /** Sends what was recorded so far. */
  async forceFlush(): Promise<void> {
    const client = (this.#options.client ?? RunTree.getSharedClient()) as { flush?(): Promise<void> }
    await client.flush?.()
  }

  async shutdown(timeout?: number): Promise<void> {
    this.#removeSource()
    const client = (this.#options.client ?? RunTree.getSharedClient()) as {
      flush?(options: { timeoutMs: number | undefined }): Promise<void>
    }
    await client.flush?.({ timeoutMs: timeout })
  }

  /** A trace was asked what its first call of a model was asked, and answers what its last one answered. */
  #copyToRoot(trace: OpenTrace, { inputs, outputs }: RunTree): void {
    if (!trace.hasInputs) trace.root.inputs = inputs
    trace.hasInputs = true
    if (outputs === undefined || Object.keys(outputs).length === 0) return
    const { usage_metadata: _, ...answer } = outputs
    trace.root.outputs = answer
  }

  /** The SDK keeps its current span in a context of its own, for all of its copies in a process. */
  #findCurrentRun(): RunTree | undefined {
    if (this.#traces.size === 0) return undefined
    const storage = (globalThis as Record<symbol, unknown>)[AGENTS_CONTEXT]
    const store: unknown = isObject(storage) && typeof storage.getStore === 'function' ? storage.getStore() : undefined
    if (!isRecord(store) || store.active !== true || !isObject(store.trace)) return undefined
    const trace = this.#traces.get(String(store.trace.traceId))
    return (isObject(store.span) && trace?.spans.get(String(store.span.spanId))) || trace?.root
  }

  #protect(task: () => void): void {
    try {
      task()
    } catch (error) {
      reportProblem(this.#options.client, `Could not record a span of the OpenAI Agents SDK: ${error}`)
    }
  }
}

const AGENTS_CONTEXT = Symbol.for('openai.agents.core.asyncLocalStorage')

function endRun(run: RunTree): void {
  void run.end()
  void run.patchRun({ excludeInputs: false })
}
